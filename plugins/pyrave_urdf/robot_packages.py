"""Robots of packages that ship URDF and xacro files, where they are here.

``robot_descriptions`` downloads a robot's repository when the module of the robot is
imported. Nothing of it is imported here: its modules are read for where files are in
repositories, and only repositories count that were downloaded before, or are installed.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

_EXAMPLES = "example-robot-data"
_SUFFIX = "_description"
_FOLDER_ENDINGS = (_SUFFIX, "_data")
_FILES = ("URDF_PATH", "XACRO_PATH")
_XACRO = (".urdf.xacro", ".xacro")
# files of xacro that are robots, and no parts of some, name theirs
_NAMED = re.compile(rb"<robot\b[^>]*\sname\s*=")
_HEAD = 4096


def described_robots() -> dict[str, Path | str]:
    """Return the robots of ``robot_descriptions``: a file, or why it is not here."""
    spec = find_spec("robot_descriptions")
    places = () if spec is None else spec.submodule_search_locations or ()
    found: dict[str, Path | str] = {}
    for place in map(Path, places):
        caches = _cache_folders(place / "_repositories.py")
        for module in sorted(place.glob(f"*{_SUFFIX}.py")):
            name = module.stem.removesuffix(_SUFFIX)
            wanted = _file_of(module)
            if wanted is not None:
                found[name] = _in_repository(module.stem, *wanted, caches)
    return found


def _in_repository(
    module: str, repository: str, inside: str, caches: dict[str, str]
) -> Path | str:
    """Return a file of a repository, or a text that says how to get it."""
    cache = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    folders = [Path(cache).expanduser() / caches.get(repository, repository)]
    if repository == _EXAMPLES:
        folders += _example_folders()
    for folder in folders:
        if (path := folder / inside).is_file():
            return path
    return (
        "robot_descriptions knows it and has not downloaded it, and pyrave never does: "
        f"python -m robot_descriptions pull {module}"
    )


def example_robots() -> dict[str, Path | str]:
    """Return the files of an installed ``example-robot-data`` by name.

    The name of a file without ``_robot`` at its end; and of a folder without
    ``_description``, if there is one file in it.
    """
    found: dict[str, Path | str] = {}
    for folder in (one / "robots" for one in _example_folders()):
        if not folder.is_dir():
            continue
        for robot in sorted(folder.iterdir()):
            files = sorted((*robot.glob("urdf/*.urdf"), *robot.glob("robots/*.urdf")))
            for file in files:
                found.setdefault(file.stem, file)
                found.setdefault(file.stem.removesuffix("_robot"), file)
            name = robot.name
            for ending in _FOLDER_ENDINGS:
                name = name.removesuffix(ending)
            if len(files) == 1:
                found.setdefault(name, files[0])
            elif files:
                names = ", ".join(file.stem for file in files)
                found.setdefault(name, f"there are several: {names}")
    return found


def icub_robots() -> dict[str, Path | str]:
    """Return the files of an installed ``icub-models`` by the names of folders."""
    found: dict[str, Path | str] = {}
    for share in _shares():
        for file in sorted((share / "iCub" / "robots").glob("*/model.urdf")):
            found.setdefault(file.parent.name, file)
    return found


def toolbox_robots() -> dict[str, Path | str]:
    """Return the files of an installed ``rtb-data`` by their names; URDF goes first."""
    spec = find_spec("rtbdata")
    found: dict[str, Path | str] = {}
    for place in () if spec is None else spec.submodule_search_locations or ():
        for file in sorted(Path(place).rglob("*.urdf")):
            found.setdefault(file.stem, file)
        for file in sorted(Path(place).rglob("*.xacro")):
            with file.open("rb") as stream:
                is_robot = _NAMED.search(stream.read(_HEAD)) is not None
            if is_robot:
                ending = next(one for one in _XACRO if file.name.endswith(one))
                found.setdefault(file.name.removesuffix(ending), file)
    return found


def _example_folders() -> list[Path]:
    return [share / _EXAMPLES for share in _shares()]


def _shares() -> list[Path]:
    """Return the folders for files of packages: wheels, ROS, the prefix of Python."""
    shares = [Path(entry) / "cmeel.prefix" / "share" for entry in sys.path if entry]
    shares += [Path(entry) / "share" for entry in sys.path if entry]
    shares.append(Path(sys.prefix) / "share")
    for entry in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        shares += [Path(entry) / "share"] if entry else []
    for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep):
        shares += [Path(entry)] if entry else []
    return shares


# -- what modules of robot_descriptions say, without running them ----------------------


def _cache_folders(file: Path) -> dict[str, str]:
    """Return the folder in the cache of each repository by its key."""
    found = {}
    for node in ast.walk(_parsed(file)):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            words = value.keywords if isinstance(value, ast.Call) else ()
            for word in words:
                if word.arg == "cache_path" and isinstance(key, ast.Constant):
                    found[str(key.value)] = _text(word.value, {}) or str(key.value)
    return found


def _file_of(module: Path) -> tuple[str, str] | None:
    """Return (key of the repository, path in it) of a robot's file, None if unclear."""
    repository = ""
    texts: dict[str, str] = {}
    for node in _parsed(module).body:
        if not isinstance(node, (ast.AnnAssign, ast.Assign)):
            continue
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        value = node.value
        if not isinstance(target, ast.Name) or value is None:
            continue
        if isinstance(value, ast.Call) and _called(value).endswith("clone_to_cache"):
            repository = _text(value.args[0], texts) or "" if value.args else ""
            texts[target.id] = ""
            continue
        text = _text(value, texts)
        if text is not None:
            texts[target.id] = text
    inside = next((texts[name] for name in _FILES if texts.get(name)), None)
    return (repository, inside) if repository and inside else None


def _text(node: ast.expr, known: dict[str, str]) -> str | None:
    """Return the value of a text, a name or a joined path, None if it is another."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Call) and _called(node).endswith("path.join"):
        parts = [_text(one, known) for one in node.args]
        texts = [part for part in parts if part is not None]
        return os.path.join(*texts) if texts and len(texts) == len(parts) else None  # noqa: PTH118 - joined as the module does
    return None


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _parsed(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])
