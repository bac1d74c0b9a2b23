"""Templates of what a package offers besides interfaces: formats, commands, hooks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartTemplate:
    """Texts for one kind of part.

    ``@name@`` stands for the name of the part, ``@class@`` for it as a class's name,
    ``@module@`` for that of its module; others as in `TypeTemplate`.

    Parameters
    ----------
    module
        Its module; the name of the file ends in `ending`.
    test
        Its tests.
    group, value
        Its entry point; ``pyrave.`` comes first, and the package and the module.
    says
        What it is, for the table of the README.
    """

    module: str
    test: str
    group: str
    value: str
    ending: str
    says: str
