"""The command line: arguments in, the package's answers shown; one file a command group."""
