"""Programs that ``openravepy`` holds: databases and examples, with a command line."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from pyrave.errors import ArgumentError, NotSupportedError, did_you_mean
from pyrave_openravepy.installation import install
from pyrave_openravepy.scripts.listings import names_in

__all__ = ["run_database", "run_example"]


def run_database(words: Sequence[str]) -> int:
    """Run a database's own command line; the first word is its name."""
    return _run("databases", "database", words)


def run_example(words: Sequence[str]) -> int:
    """Run an example; the first word is its name."""
    return _run("examples", "example", words)


def _run(package: str, what: str, words: Sequence[str]) -> int:
    name, *arguments = words
    known = names_in(package)
    if name not in known:
        raise ArgumentError(
            f"there is no {what} {name!r}{did_you_mean(name, known)}; known are "
            f"{', '.join(known) or 'none'}"
        )
    install()
    module: Any = importlib.import_module(f"openravepy.{package}.{name}")
    run = getattr(module, "run", None)
    if run is None:
        raise NotSupportedError(f"the {what} {name} has no command line: import it")
    result = run(args=arguments)
    return result if isinstance(result, int) else 0
