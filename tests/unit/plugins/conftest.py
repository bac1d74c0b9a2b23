"""Temporary installed distributions for the tests of the plugin system."""

import sys
import textwrap
from pathlib import Path

import pytest

from pyrave.plugins import Registry, default_registry, discover


class Site:
    """A folder on ``sys.path`` with distributions written by a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def module(self, name: str, source: str) -> Path:
        path = self.folder.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        return path

    def distribution(
        self, name, groups, *, version="1.0", requires=(), folder=None, sources=None
    ):
        """Write a ``.dist-info`` with entry points ``{group: {name: value}}``."""
        info = (folder or self.folder) / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        lines = [f"Requires-Dist: {one}" for one in requires]
        info.joinpath("METADATA").write_text(
            "\n".join(["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"])
            + "".join(f"\n{line}" for line in lines)
            + "\n\nName: not-this\nRequires-Dist: pyrave>=99\n"
        )
        text = ""
        for group, entries in groups.items():
            text += f"[{group}]\n"
            text += "".join(f"{key} = {value}\n" for key, value in entries.items())
        info.joinpath("entry_points.txt").write_text(text)
        for module, source in (sources or {}).items():
            self.module(module, source)

    def registry(self, **options) -> Registry:
        return Registry(discover([str(self.folder)]), **{"disabled": (), **options})


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a `Site`; what it made importable is forgotten at the end."""
    before = set(sys.modules)
    # what is installed here must not stay known for the rest of the process
    default_registry().records()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Site(tmp_path)
    for name in set(sys.modules) - before:
        found = getattr(sys.modules[name], "__file__", None) or ""
        if found.startswith(str(tmp_path)):
            del sys.modules[name]


class FakeEnvironment:
    """Just enough to be referenced weakly and to collect problems."""

    def __init__(self) -> None:
        self.problems = []

    def report_problem(self, problem) -> None:
        self.problems.append(problem)


@pytest.fixture
def env():
    return FakeEnvironment()
