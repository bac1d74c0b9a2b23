"""``pyrave openrave``: run a script for OpenRAVE, or load scenes as ``openrave.py``."""

from __future__ import annotations

import importlib.util
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyrave
from pyrave.errors import ArgumentError
from pyrave.files import write_file, write_new_file
from pyrave_openravepy.installation import install
from pyrave_openravepy.scripts.conversion import convert_script, read_script
from pyrave_openravepy.scripts.listings import list_names
from pyrave_openravepy.scripts.options import Options, read_options
from pyrave_openravepy.scripts.parts import set_run_options
from pyrave_openravepy.scripts.programs import run_database, run_example
from pyrave_openravepy.scripts.running.script import run_script
from pyrave_openravepy.scripts.session import run_session
from pyrave_openravepy.scripts.suggestions import suggest_names

__all__ = ["openrave"]

_log = logging.getLogger("pyrave.openrave")


def openrave(*words: str) -> int:
    """Run a script for OpenRAVE, Python 2 or 3, or load scenes as openrave.py does.

    `pyrave openrave --help` lists the options.
    """
    options = read_options(words)
    if options.version:
        _say(f"pyrave {pyrave.__version__}")
        return 0
    if options.listing:
        for name in list_names(options.listing, options.interface_type):
            _say(name)
        return 0
    if options.write is not None or options.diff or options.suggest:
        return _show(options)
    set_run_options(options)
    _tell_of_another()
    for task in _TASKS:
        if task.is_wanted(options):
            return task.run(options)
    raise ArgumentError(
        "there is nothing to do: name a script or scene files, or see "
        "`pyrave openrave --help`"
    )


@dataclass(frozen=True)
class _Task:
    is_wanted: Callable[[Options], bool]
    run: Callable[[Options], int]


def _run_script(options: Options) -> int:
    if options.files:
        raise ArgumentError(
            f"{options.script} is a script, and {options.files[0]} is not: a script "
            "loads its scenes itself"
        )
    # before the script is read: what it lacks is said first
    read_script(options.script)
    install()
    return run_script(options.script, options.arguments)


_TASKS = (
    _Task(lambda options: bool(options.script), _run_script),
    _Task(lambda options: bool(options.database), lambda o: run_database(o.database)),
    _Task(lambda options: bool(options.example), lambda o: run_example(o.example)),
    _Task(
        lambda o: bool(o.files or o.code or o.shell or o.modules or o.server),
        run_session,
    ),
)


def _show(options: Options) -> int:
    """Show or write what a script is in Python 3, or in pyrave's own names."""
    path = options.script
    script = convert_script(read_script(path), path)
    if options.diff:
        sys.stdout.write(script.diff())
    if options.suggest:
        for line in suggest_names(script):
            _say(line)
    if options.write is None:
        return 0
    if not script.is_converted and not options.write:
        _say(f"{path} is Python 3 already")
        return 0
    target = Path(options.write or path)
    if not options.write:
        kept = target.with_name(f"{target.name}.bak")
        if not write_new_file(kept, target.read_bytes()):
            raise ArgumentError(f"{kept} is there already: move it, or --write=FILE")
        _say(f"{kept}: what it was")
    write_file(target, script.text_of_file())
    _say(f"{target}: written")
    return 0


def _tell_of_another() -> None:
    """Say that a real OpenRAVE is installed, and that it is not what runs."""
    if "openravepy" in sys.modules:
        return
    spec = importlib.util.find_spec("openravepy")
    if spec is not None:
        _log.warning(
            "%s is not used: `pyrave openrave` runs scripts on pyrave. For OpenRAVE "
            "itself run them with python",
            spec.origin or "another openravepy",
        )


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
