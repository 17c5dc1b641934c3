"""``python -m pbn`` is ``pbn``."""

from __future__ import annotations

import sys

from pbn.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
