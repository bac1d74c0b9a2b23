"""What a template of an interface type consists of."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TypeTemplate"]


@dataclass(frozen=True, slots=True)
class TypeTemplate:
    """Texts for one interface type.

    ``@id@`` stands for the interface id (the class's name), ``@snake@`` for the name of
    its module, ``@package@`` and ``@distribution@`` for the package.

    Parameters
    ----------
    source
        The module with the class.
    test
        Body of a test module; `scene`, a fixture, gives an environment.
    scene
        Element of the scene file; empty if a scene has no place for the type.
    tag
        Child tag with a custom reader ``read_settings`` in the module, or empty.
    """

    source: str
    test: str
    scene: str = ""
    tag: str = ""
