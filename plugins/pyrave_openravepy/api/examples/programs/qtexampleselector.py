"""A list of the examples, of which one is chosen and run."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pyrave_openravepy.api import examples
from pyrave_openravepy.api.examples._program import expect, tell

__all__ = ["run"]

_TRIED = "tutorial_grasptransform"


def run(args: Sequence[str] | None = None) -> None:
    """Ask for numbers or names until the input ends; in test mode, choose one."""
    words = [word for word in args or () if word.startswith("-")]
    listed = [one for one in examples.texts().items() if one[0] != "qtexampleselector"]
    for number, (name, text) in enumerate(listed, 1):
        tell(f"{number:3}  {name:28} {text}")
    expect(len(listed) > 1, "there are no examples")
    if "--testmode" in words:
        examples.run(_TRIED, words)
        tell(f"{_TRIED} has run")
        return
    known = {str(number): name for number, (name, _) in enumerate(listed, 1)}
    tell("a number or a name, an empty line ends:")
    for line in sys.stdin:
        chosen = line.strip()
        if not chosen:
            return
        name = known.get(chosen, chosen)
        if name not in known.values():
            tell(f"there is no example {chosen!r}")
            continue
        try:
            examples.run(name, words)
        except SystemExit as error:
            tell(str(error))
