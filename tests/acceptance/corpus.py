"""Finding the real files and their expected values, which are not in this repository.

They lie in the folder that the environment variable PYRAVE_SHARED names, or in a
folder `shared` beside the checkout; tests that need them skip where it is missing.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

LONG = "PYRAVE_LONG" in os.environ
"""Whether tests take all files and poses: those of large robots take minutes."""
LARGE = ("pr2", "hiro", "shadow", "katanatable", "youbot1", "pa10grasp", "dualarm")
# links of solid meshes of which one is wholly inside of the other, which collide here
# and not in OpenRAVE, where meshes are hollow
NESTED = {"robots/man1.zae": {(11, 13), (14, 16), (35, 37), (36, 38), (39, 41)}}
SUFFIXES = (".xml", ".dae", ".zae")
SCENES = (
    "data/lab1.env.xml",
    "data/wamtest1.env.xml",
    "data/wam_cabinet.env.xml",
    "data/tridoftable.env.xml",
    "data/door.env.xml",
    "data/diffdrive_sample.env.xml",
)


def shared_folder() -> Path | None:
    """Return the folder that holds `corpus` and `expected`, or None."""
    named = os.environ.get("PYRAVE_SHARED")
    corpus = os.environ.get("PYRAVE_CORPUS")
    candidates = [
        *([Path(named)] if named else []),
        *([Path(corpus).parent] if corpus else []),
        Path(__file__).resolve().parents[3] / "shared",
    ]
    for candidate in candidates:
        if (candidate / "corpus" / "openrave").is_dir():
            return candidate
    return None


def openrave_root() -> Path | None:
    """Return OpenRAVE's data root (it has `data`, `robots`, `models`), or None."""
    folder = shared_folder()
    return None if folder is None else folder / "corpus" / "openrave"


@cache
def openrave_files() -> tuple[str, ...]:
    """Return the scene files below OpenRAVE's data root: XML and COLLADA."""
    root = openrave_root()
    if root is None:
        return ()
    found = [path for suffix in SUFFIXES for path in root.rglob(f"*{suffix}")]
    return tuple(sorted(path.relative_to(root).as_posix() for path in found))


def short(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without those of large robots, unless a long run is wanted."""
    return tuple(n for n in names if LONG or not any(part in n for part in LARGE))


@cache
def openrave_dumped() -> tuple[str, ...]:
    """Return those of `openrave_files` that OpenRAVE's values are known for."""
    folder = openrave_expected()
    if folder is None:
        return ()
    return tuple(f for f in openrave_files() if (folder / f"{f}.json").is_file())


def openrave_expected() -> Path | None:
    """Return the folder of what OpenRAVE computes for these files, or None."""
    folder = shared_folder()
    return None if folder is None else folder / "expected" / "openrave"


def robwork_root() -> Path | None:
    """Return the folder of RobWork's files, or None."""
    folder = shared_folder()
    return None if folder is None else folder / "corpus" / "robwork"


def robwork_expected() -> Path | None:
    """Return the folder of what RobWork reads in these files, or None."""
    folder = shared_folder()
    return None if folder is None else folder / "expected" / "robwork"
