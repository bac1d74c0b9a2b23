"""Choice of a package for a scene where several packages offer one id."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.formats.context import XmlReader
    from pyrave.formats.custom_readers import FirstOfSeveral
    from pyrave.formats.resolver import Resolver
    from pyrave.plugins import Registry
    from pyrave.scene import PluginReference


class ReaderChoice:
    """Choice of the packages whose readers and data files a file refers to.

    Parameters
    ----------
    registry
        Knows who has what.
    resolver
        Finds the files of the load.
    """

    def __init__(self, registry: Registry, resolver: Resolver) -> None:
        self._registry = registry
        self._resolver = resolver
        self._preferred: set[str] = set()
        self._ambiguous: dict[tuple[str, str], FirstOfSeveral] = {}

    def prefer(self, plugin: str) -> None:
        """Use what the packages have that a ``<plugin>`` tag names."""
        found = self._registry.find_plugin(plugin).records
        new = {one.distribution for one in found} - self._preferred
        if new:
            self._preferred |= new
            folders = self._registry.data_folders_of(self._preferred)
            self._resolver.prefer(folders)

    def find_reader(self, kind: str, tag: str) -> XmlReader | None:
        """Return the reader of a tag or an interface id, in lower case."""
        found = self._registry.xml_readers(kind, tag)
        if len(found) < 2:
            return found[0][1] if found else None
        for package, reader in found:
            if package in self._preferred:
                return reader
        from pyrave.formats.custom_readers import FirstOfSeveral

        known = self._ambiguous.get((kind, tag))
        if known is None:
            packages = [package for package, _ in found]
            known = FirstOfSeveral(found[0][1], f"{kind} <{tag}>", packages)
            self._ambiguous[kind, tag] = known
        return known


class PackageChoice:
    """Choices of the ``<plugin>`` tags of a scene among ids of several packages.

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
        self._prefixes: dict[tuple[str, str], str] = {}

    def choose(self, kind: str, interface: str) -> tuple[str, list[str]]:
        """Return ``"Id args"``, with its distribution if a tag chooses one.

        Beside it, the first time that nothing chooses: the distributions to choose
        from, that which is used first.
        """
        wanted = interface.strip()
        if not wanted:
            return "", []
        key = kind, wanted.partition(" ")[0].lower()
        prefix = self._prefixes.get(key)
        if prefix is not None:
            return f"{prefix}{wanted}", []
        offering = self._registry.distributions(*key)
        preferred = [one for one in offering if one in self._named]
        chosen = len(offering) > 1 and bool(preferred)
        prefix = self._prefixes[key] = f"{preferred[0]}:" if chosen else ""
        unclear = len(offering) > 1 and not chosen
        return f"{prefix}{wanted}", offering if unclear else []

    @cached_property
    def _named(self) -> frozenset[str]:
        found = (self._registry.find_plugin(one.name) for one in self._plugins)
        return frozenset(r.distribution for one in found for r in one.records)
