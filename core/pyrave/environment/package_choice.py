"""Which package's interface a scene means where several offer one id."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.plugins import Registry
    from pyrave.scene import PluginReference


class PackageChoice:
    """What the ``<plugin>`` tags of a scene say about ids of several packages.

    Parameters
    ----------
    registry
        Knows who offers an id.
    plugins
        The scene's tags.
    """

    def __init__(self, registry: Registry, plugins: Sequence[PluginReference]) -> None:
        self._registry = registry
        self._plugins = plugins
        self._told: set[tuple[str, str]] = set()

    def choose(self, kind: str, interface: str) -> tuple[str, list[str]]:
        """Return ``"Id args"``, with its distribution if a tag chooses one.

        Beside it, the first time that nothing chooses: the distributions to choose
        from, that which is used first.
        """
        name, _, args = interface.strip().partition(" ")
        offering = self._registry.distributions(kind, name)
        if len(offering) < 2:
            return interface, []
        preferred = [one for one in offering if one in self._named]
        if preferred:
            return f"{preferred[0]}:{name} {args}", []
        key = kind, name.lower()
        if key in self._told:
            return interface, []
        self._told.add(key)
        return interface, offering

    @cached_property
    def _named(self) -> frozenset[str]:
        found = (self._registry.find_plugin(one.name) for one in self._plugins)
        return frozenset(r.distribution for one in found for r in one.records)
