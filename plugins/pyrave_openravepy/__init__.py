"""OpenRAVE's Python API on pyrave, so that scripts written for it run.

It is a package of its own name, so that no real OpenRAVE is hidden by it. `install`
makes it importable as ``openravepy``; ``pyrave openrave SCRIPT`` does so for a script.

``names``, ``coverage``
    All names of OpenRAVE's API in one table, and a count of those that work.
``api``
    The module that is imported as ``openravepy``.
"""

from __future__ import annotations

from pyrave_openravepy.installation import install

__all__ = ["install"]
