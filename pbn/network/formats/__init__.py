"""Networks to and from other libraries and files."""
