"""OpenRAVE's own scripts: read, converted from Python 2, and run.

``python2``
    What Python 2 did and no text says: division, `cmp`, ....
``conversion``
    The text of a script as Python 3.
``running``
    Names and modules that a script finds, and how it begins and ends.
``command``
    ``pyrave openrave``.
"""

from __future__ import annotations

__all__: list[str] = []
