"""``python -m pyrave_openravepy SCRIPT``: the same as ``pyrave openrave SCRIPT``."""

import runpy
import sys

if __name__ == "__main__":
    sys.argv.insert(1, "openrave")
    runpy.run_module("pyrave", run_name="__main__")
