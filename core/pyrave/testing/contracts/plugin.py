"""The contract of plugins: what they offer besides interfaces."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from pyrave.errors import NotFoundError
from pyrave.plugins import PluginKind, default_registry

if TYPE_CHECKING:
    from pyrave.plugins import Failure, PluginRecord, Registry


def records_of(registry: Registry, name: str) -> tuple[PluginRecord, ...]:
    """Return the records of a distribution or an entry point.

    Raises
    ------
    NotFoundError
        Nothing of that name is installed.
    """
    found = registry.find_plugin(name).records
    if not found:
        known = {record.distribution for record in registry.records()} - {""}
        raise NotFoundError("plugin", name, sorted(known))
    return found


class Contract:
    """Tests of what a plugin offers.

    A test also fails if code of the plugin raised while it ran and somebody caught it
    (`pyrave.testing.pytest_plugin`); what failed before the test does not count. A test
    that fails as an earlier one of its class did is skipped, and names that one.
    """

    time_limit: ClassVar[float] = 120.0
    """Seconds that each test may take; one that takes longer fails, and the next of its
    class get a tenth."""

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """Records of the plugin; empty for an interface that a script registers."""
        return ()

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Exceptions of the plugin's code in this process."""
        return tuple(failure for one in self.records for failure in one.failures)


class PluginContract(Contract):
    """Contract of a plugin besides its interfaces: hooks, readers, formats, data."""

    plugin: ClassVar[str]
    """A distribution or an entry point."""

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """Records of the plugin's entry points."""
        return records_of(default_registry(), self.plugin)

    def test_usable(self) -> None:
        """The plugin is found, fits this pyrave and can be imported."""
        for one in self.records:
            text = f"{one.label} is {one.state.value}: {one.reason}\n{one.traceback}"
            assert one.state.usable, text

    def test_data(self) -> None:
        """A package of group pyrave.data is a folder with files."""
        folders = [
            f.as_posix() for f in default_registry().data_folders() if f.is_dir()
        ]
        for one in self.records:
            if one.kind is PluginKind.DATA and one.state.usable:
                package = one.value.replace(".", "/")
                fix = f"list the data of {package} in the package's build configuration"
                assert any(folder.endswith(package) for folder in folders), fix

    def test_readers(self) -> None:
        """An XML reader is called as reader(element, context)."""
        for kind, tag in (pair for one in self.records for pair in one.xml_readers):
            reader: Any = default_registry().xml_reader(kind, tag)
            assert reader is not None, f"the reader of {kind} <{tag}> is not registered"
            inspect.signature(reader).bind(None, None)

    def test_formats(self) -> None:
        """sniff(head) is False for bytes that are not of the format."""
        registry = default_registry()
        formats = [*registry.scene_formats(), *registry.mesh_formats()]
        own = {
            name for r in self.records for name in (*r.scene_formats, *r.mesh_formats)
        }
        for one in (one for one in formats if one.name in own):
            for head in (b"", b"\x00\xff" * 64, b"<no-such-root/>"):
                answer: Any = one.sniff(head)
                assert answer is False, f"{one.name}.sniff({head!r}) is {answer!r}"
