"""The command line of ``openrave.py``, and what ours adds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pyrave.errors import ArgumentError

__all__ = ["Options", "read_options"]

_LEVELS = ("fatal", "error", "warn", "info", "debug", "verbose")
_ABOUT = """
Run a script for OpenRAVE, or load scene files. A script gets the words behind its
name; Python 2 is converted in memory, the file stays as it is.
"""
_PYTHON = b"python"


@dataclass(frozen=True)
class Options:
    """The meaning of the words of a command line."""

    script: str = ""
    arguments: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    collision: str = ""
    physics: str = ""
    viewer: str = ""
    plugins: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    server: str = ""
    port: int = 4765
    level: str = ""
    code: str = ""
    shell: bool = False
    test_mode: bool = False
    listing: str = ""
    interface_type: str = ""
    database: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    version: bool = False
    diff: bool = False
    suggest: bool = False
    write: str | None = None


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ArgumentError(
            f"{message}; `pyrave openrave --help` lists what it understands"
        )


def read_options(words: Sequence[str]) -> Options:
    """Return the meaning of the words behind ``pyrave openrave``.

    Raises
    ------
    ArgumentError
        A word is wrong, or one is missing.
    SystemExit
        Help was asked for, and is written.
    """
    parser = _parser()
    given = parser.parse_args([])
    files: list[str] = []
    script, rest = "", [_write_word(word) for word in words]
    while rest:
        given = parser.parse_args(rest, given)
        rest, given.words = given.words, []
        if not rest:
            break
        first = rest.pop(0)
        if given.write == "" and len(rest) == 1 and not script:
            given.write, first = first, rest.pop()
        if _is_script(first):
            script = first
            break
        files.append(first)
    if given.write is not None or given.diff or given.suggest:
        files, script = _one_script(files, script)
    return _options(given, script, tuple(rest), tuple(files))


def _write_word(word: str) -> str:
    # its FILE is optional, and a script may follow
    return "--write=" if word == "--write" else word


def _one_script(files: list[str], script: str) -> tuple[list[str], str]:
    if script and not files:
        return [], script
    if len(files) == 1 and not script:
        return [], files[0]
    raise ArgumentError("--diff, --write and --suggest are about one script; name it")


def _options(
    given: argparse.Namespace, script: str, arguments: tuple[str, ...], files: Any
) -> Options:
    listing = next(
        (one for one in ("plugins", "databases", "examples") if getattr(given, one)), ""
    )
    return Options(
        script=script,
        arguments=arguments,
        files=files,
        collision=given.collision,
        physics=given.physics,
        viewer=given.viewer,
        plugins=tuple(given.loadplugin),
        modules=tuple(map(tuple, given.module)),
        server=given.server,
        port=given.serverport,
        level=given.level,
        code=given.pythoncmd,
        shell=given.ipython,
        test_mode=given.testmode,
        listing="interfaces" if given.listinterfaces is not None else listing,
        interface_type=given.listinterfaces or "",
        database=tuple(given.database or ()),
        example=tuple(given.example or ()),
        version=given.version,
        diff=given.diff,
        suggest=given.suggest,
        write=given.write,
    )


def _is_script(word: str) -> bool:
    """Return True for a file of Python: by its ending, or its first line."""
    path = Path(word)
    if path.suffix in {".py", ".pyw"}:
        return True
    if path.suffix or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.readline(200)
    return head.startswith(b"#!") and _PYTHON in head


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="pyrave openrave",
        usage="pyrave openrave [options] SCRIPT [arguments] | FILES",
        description=_ABOUT,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    add("--version", action="store_true", help="print the version of pyrave")
    text: dict[str, Any] = {"default": "", "metavar": "ID"}
    add("--collision", **text, help="collision checker of environments")
    add("--physics", **text, help="physics engine of environments")
    add("--viewer", **text, help="viewer to open")
    add("--server", **text, help="server to start, as textserver")
    add("--serverport", type=int, default=4765, help="its port, 4765 by default")
    each: dict[str, Any] = {"action": "append", "default": []}
    add("--loadplugin", **each, metavar="NAME", help="plugin that is needed; repeated")
    add("--module", **each, nargs=2, metavar=("NAME", "ARGS"), help="module; repeated")
    add(
        "--level", "-l", "--log_level", dest="level", default="", metavar="LEVEL",
        help=f"what is logged: {', '.join(_LEVELS)}, or 0 to 5",
    )  # fmt: skip
    add("-i", "--ipython", action="store_true", help="open a shell")
    add(
        "-p", "--pythoncmd", default="", metavar="CODE",
        help="code to run, which finds env, robots and robot",
    )  # fmt: skip
    add("--testmode", action="store_true", help="no thread simulates, no viewer opens")
    add("--listplugins", dest="plugins", action="store_true", help="list plugins")
    add("--listinterfaces", metavar="TYPE", help="list the ids of a type, or all")
    add("--listdatabases", dest="databases", action="store_true", help="list databases")
    add("--listexamples", dest="examples", action="store_true", help="list examples")
    rest: dict[str, Any] = {"nargs": argparse.REMAINDER, "metavar": "..."}
    add("--database", **rest, help="NAME and arguments of a database")
    add("--example", **rest, help="NAME and arguments of an example")
    add("--diff", action="store_true", help="show the script as Python 3, do not run")
    add("--write", nargs="?", metavar="FILE", help=_WRITE)
    add("--suggest", action="store_true", help="say what pyrave has for each name")
    add("--openravescheme", action="store_true", help=argparse.SUPPRESS)
    return parser


_WRITE = "write the script as Python 3: to FILE, or in its place, with a .bak beside it"
