"""Sizes of the base install and of each extra, as pip leaves them: packages and MB.

    python benchmarks/extras.py > extras.json
    python benchmarks/extras.py --page    writes the table of the page on dependencies

Each is installed into an environment of its own, from wheels that uv keeps, with byte
code. What the base has counts for the base alone. Ends with status 1 if the base has
become too large.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path
from shutil import which

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "dependencies.md"
MOST_MB, MOST_PACKAGES = 370, 18
# large, and only for benchmarks and tests of this project
LEFT_OUT = ("bench", "fuzz", "robots")
PURPOSES = {
    "base": "scenes, inverse kinematics, collisions, planning, sensors, pictures",
    "collision": "another collision checker",
    "convex": "convex pieces of meshes",
    "distributed": "databases on many machines",
    "meshes": "glTF, images on meshes, JPEG",
    "moveit": "MoveIt's files of joint limits",
    "openrave": "scripts of Python 2",
    "physics": "MuJoCo",
    "planning": "OMPL's planners, ruckig, toppra",
    "plot": "plots",
    "serve": "a server for other programs",
    "stability": "static stability",
    "testing": "contracts of plugins as tests",
    "video": "ffmpeg for videos",
    "viewer": "the viewer in the browser",
    "xacro": "xacro files",
    "all": "all of these but convex, testing and video",
    "docs": "this site, and what makes its pictures",
    "dev": "tests and tools of this project, with all of the above",
}


def install(folder, what, known=()):
    """Return {package: bytes} of what a requirement brings besides known packages."""
    uv = which("uv") or sys.exit("uv is needed: pip install uv")
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([uv, "pip", "install", "-q", "--python", python, what], check=True)
    # packages have such folders of their own
    site = min(folder.rglob("site-packages"), key=lambda path: len(path.parts))
    found = {}
    for one in distributions(path=[str(site)]):
        if one.name not in known:
            files = {Path(one.locate_file(file)) for file in one.files or ()}
            sizes = [path.stat().st_size for path in files if path.exists()]
            found[one.name] = sum(sizes) + byte_code(python, files)
    return found


def byte_code(python, files):
    """Return the bytes of the compiled modules of some files, which pip makes."""
    modules = sorted(str(path) for path in files if path.suffix == ".py")
    # 1 where a package has modules of another Python
    subprocess.run(
        [python, "-m", "compileall", "-qq", "-i", "-"],
        input="\n".join(modules),
        text=True,
        check=False,
    )
    caches = {Path(module).parent / "__pycache__" for module in modules}
    return sum(path.stat().st_size for one in caches for path in one.glob("*.pyc"))


def measure(names):
    """Return packages and MB of each extra, beside those of the base."""
    rows, base = {}, {}
    for name in ("base", *names):
        with tempfile.TemporaryDirectory() as folder:
            what = str(ROOT) if name == "base" else f"{ROOT}[{name}]"
            found = install(Path(folder) / "env", what, base)
        base = base or found
        size = round(sum(found.values()) / 1e6)
        rows[name] = {"packages": len(found), "mb": size}
        print(name, rows[name], file=sys.stderr)
    return rows


def as_table(rows):
    """Return the table of the page."""
    lines = ["| extra | packages | MB | for |", "|---|---|---|---|"]
    for name, row in rows.items():
        mark = name if name == "base" else f"`{name}`"
        lines.append(f"| {mark} | {row['packages']} | {row['mb']} | {PURPOSES[name]} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extras", nargs="*", help="these alone, not all")
    parser.add_argument("--page", action="store_true", help="write the table")
    given = parser.parse_args()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    known = [one for one in PURPOSES if one != "base"]
    unknown = project["optional-dependencies"].keys() - {*known, *LEFT_OUT}
    if unknown:
        sys.exit(f"PURPOSES has no line for {', '.join(sorted(unknown))}")
    rows = measure(given.extras or known)
    if given.page:
        text = PAGE.read_text("utf-8")
        table = re.compile(r"\| extra \| packages .*?(?=\n\n)", re.DOTALL)
        PAGE.write_text(table.sub(lambda _: as_table(rows), text), "utf-8")
    print(json.dumps({"python": sys.version.split()[0], "rows": rows}, indent=1))
    base = rows["base"]
    if base["mb"] > MOST_MB or base["packages"] > MOST_PACKAGES:
        sys.exit(f"the base is to have {MOST_PACKAGES} packages and {MOST_MB} MB")


if __name__ == "__main__":
    main()
