"""``python -m pyrave.cli`` is the ``pyrave`` command."""

from __future__ import annotations

import sys

from pyrave.cli import main

if __name__ == "__main__":
    sys.exit(main())
