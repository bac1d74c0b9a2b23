"""``python -m pyrave`` is the ``pyrave`` command."""

import sys

from pyrave.cli import main

if __name__ == "__main__":
    sys.exit(main())
