"""OpenRAVE's Python API, answered by pyrave."""

import sys

from pyrave_openravepy import install

# this module makes room for the one that is meant
del sys.modules[__name__]
install()
