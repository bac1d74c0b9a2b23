"""Processor seconds and memory that reading files at the bounds takes.

Each case is a file that is just within a bound of
`docs/guides/files/untrusted-files.md`, or one that is refused by it. It is loaded in a
process of its own, with what was not there before in the columns: seconds and MiB
beyond those of an empty scene.

``--only bodies archive`` chooses some.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import report

# prints what loading a file takes, and how it ends
LOAD = """
import json, pathlib, re, sys, time
import pyrave
def peak():
    told = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s*(\\d+)", told).group(1))
pyrave.load_string("<environment/>")
before = peak()
start, told = time.process_time(), ""
try:
    env = pyrave.load(sys.argv[1], confine=True, resource_roots=[sys.argv[2]])
except pyrave.SceneError as error:
    told = error.first.message[:200]
spent = time.process_time() - start
mib = round((peak() - before) / 1024)
print(json.dumps({"seconds": round(spent, 2), "mib": mib, "told": told}))
"""
BOX = '<geom type="box"><extents>.1 .1 .1</extents></geom>'
HEAD = (
    '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema"'
    ' version="1.5.0"><asset><created>2000-01-01</created><modified>2000-01-01'
    "</modified></asset>"
)
Case = Callable[[Path], Path]


def environment(inside: str) -> Case:
    """Return what writes OpenRAVE XML."""

    def write(folder: Path) -> Path:
        path = folder / "scene.env.xml"
        path.write_text(f"<environment>{inside}</environment>")
        return path

    return write


def times(text: str, count: int) -> str:
    """Repeat a text with numbers in the place of ``#``."""
    return "".join(text.replace("#", str(i)) for i in range(count))


def archive(unpacked: str) -> Case:
    """Return what writes a ``.zae``."""

    def write(folder: Path) -> Path:
        path = folder / "scene.zae"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("scene.dae", HEAD + unpacked + "</COLLADA>")
        return path

    return write


def collada_boxes(count: int) -> Case:
    """Return what writes a COLLADA file of bodies that share a box."""

    def write(folder: Path) -> Path:
        import pyrave
        from pyrave.scene import body_from_boxes

        env = pyrave.Environment()
        for i in range(count):
            env.create_body(body_from_boxes(f"b{i}", [[0, 0, 0, 0.1, 0.1, 0.1]]))
        path = folder / "scene.dae"
        env.save(path)
        return path

    return write


def robot(count: int) -> Case:
    """Return what writes URDF of a chain of boxes."""

    def write(folder: Path) -> Path:
        box = (
            '<collision><geometry><box size="1 1 1"/></geometry></collision>'
            '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
            'ixz="0" iyz="0"/></inertial>'
        )
        text = times(f'<link name="l#">{box}</link>', count)
        text += "".join(
            f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child '
            f'link="l{i + 1}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" '
            'velocity="1" effort="1"/></joint>'
            for i in range(count - 1)
        )
        path = folder / "robot.urdf"
        path.write_text(f'<robot name="r">{text}</robot>')
        return path

    return write


def inclusions(count: int) -> Case:
    """Return what writes a scene that includes one file very often."""

    def write(folder: Path) -> Path:
        (folder / "a.kinbody.xml").write_text(
            f'<kinbody name="a"><body name="l">{BOX}</body></kinbody>'
        )
        one = '<kinbody name="b#" file="a.kinbody.xml"/>'
        return environment(times(one, count))(folder)

    return write


def workcell(count: int) -> Case:
    """Return what writes a WorkCell of boxes."""

    def write(folder: Path) -> Path:
        one = (
            '<Frame name="f#"><RPY>0 0 0</RPY><Pos># 0 0</Pos></Frame><Drawable '
            'name="d#" refframe="f#"><Box x="1" y="1" z="1"/></Drawable>'
        )
        path = folder / "scene.wc.xml"
        path.write_text(f'<WorkCell name="w">{times(one, count)}</WorkCell>')
        return path

    return write


def numbers(count: int) -> Case:
    """Return what writes a mesh of so many numbers in the scene itself."""
    corner = "0 0 0 1 0 0 0 1 0 "
    text = corner * (count // 9)
    mesh = f'<geom type="trimesh"><vertices>{text}</vertices></geom>'
    return environment(f'<kinbody name="k"><body name="l">{mesh}</body></kinbody>')


BODY = f'<kinbody name="b#"><body name="l">{BOX}</body></kinbody>'
LINK = f'<body name="l#">{BOX}</body>'
JOINT = (
    '<joint name="j#" type="hinge"><body>base</body><body>l#</body><axis>0 0 1</axis>'
    "</joint>"
)
MIB = 1 << 20
# packed to a fortieth
WORDS = (f"<a>{i % 7} {i * i % 1013} {'0 1 2 3 ' * 80}</a>" for i in range(8000))
CASES: dict[str, Case] = {
    "archive_of_500_mib_of_blanks": archive(500 * MIB * " "),
    "archive_of_5_mib_of_words": archive("".join(WORDS)),
    "unknown_elements_500_000": environment(499_990 * "<a/>"),
    "unknown_elements_500_002": environment(500_002 * "<a/>"),
    "bodies_10_000": environment(times(BODY, 10_000)),
    "bodies_100_000": environment(times(BODY, 100_000)),
    "collada_bodies_2000": collada_boxes(2000),
    "links_100_000": environment(f'<kinbody name="k">{times(LINK, 100_000)}</kinbody>'),
    "joints_5000": environment(
        '<kinbody name="k"><body name="base"/>'
        f"{times(LINK, 5000)}{times(JOINT, 5000)}</kinbody>"
    ),
    "geometries_100_000": environment(
        f'<kinbody name="k"><body name="l">{100_000 * BOX}</body></kinbody>'
    ),
    "urdf_chain_1000": robot(1000),
    "urdf_chain_3000": robot(3000),
    "inclusions_10_000": inclusions(10_000),
    "workcell_elements_50_000": workcell(4900),
    "numbers_9_000_000": numbers(9_000_000),
}


def measured(write: Case) -> dict[str, Any]:
    """Return what a case costs."""
    with tempfile.TemporaryDirectory() as name:
        path = write(Path(name))
        size = path.stat().st_size
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", LOAD, str(path), name],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        return {
            "bytes": size,
            "ended_with": done.returncode,
            "said": done.stderr[-300:],
        }
    return {"bytes": size, **json.loads(done.stdout)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[""], help="parts of names")
    options = parser.parse_args()
    report(
        "bounds",
        cases={
            name: measured(case)
            for name, case in CASES.items()
            if any(part in name for part in options.only)
        },
    )


if __name__ == "__main__":
    main()
