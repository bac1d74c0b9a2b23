"""Loading of 1000 one-box bodies, of URDF files, or of a given scene, beside others.

    python benchmarks/loading.py
    python benchmarks/loading.py --urdf
    python benchmarks/loading.py --robwork [--file FOLDER]
    python benchmarks/loading.py --file lab.env.xml --resource-root data --openrave 0.38
    python benchmarks/loading.py --file pr2.zae --openrave 0.56 --target 0.5

The thousand boxes are compared with lxml's parse and walk of the same bytes (target: <=
15 times) and with MuJoCo's load of the same boxes as MJCF, and a humanoid's URDF with
what `--urdf` compares. A given scene is loaded with its meshes left for when they are
used, and with every mesh; `--openrave` repeats what OpenRAVE takes (seconds; `--target`
is the share of it that is aimed at). Both also in a fresh process. A COLLADA file is
compared with pycollada's load of it, which reads geometry alone, and only when asked
for. `--urdf` loads the files of the extra `robots` beside yourdfpy, with and without
meshes (target: faster on each), Pinocchio and MuJoCo. `--robwork` loads a WorkCell of
300 boxes and 20 arms and its Dynamic WorkCell, and all such files in a folder, beside
lxml's parse (target: <= 12 times, meshes aside).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import math
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from measuring import interleaved, report
from robots import humanoid
from urdf_files import compared, robots

import pyrave

BODIES = 1000
ROUNDS = 11
PROCESSES = 5
COLLADA = (".dae", ".zae")
DOCUMENTS = (".xml", *COLLADA)

BODY = """
  <KinBody name="box{i}">
    <Translation>{x} {y} 0.5</Translation>
    <RotationAxis>0 0 1 {angle}</RotationAxis>
    <Body name="base" type="dynamic">
      <Geom type="box">
        <extents>0.1 0.2 0.3</extents>
        <translation>0 0 0.3</translation>
        <diffuseColor>0.6 0.6 0.6</diffuseColor>
      </Geom>
      <mass type="custom">
        <total>2.5</total>
        <com>0 0 0.3</com>
        <inertia>1 0 0 0 1 0 0 0 1</inertia>
      </mass>
    </Body>
  </KinBody>"""

MJCF_BODY = """
  <body name="box{i}" pos="{x} {y} 0.5" quat="{w} 0 0 {z}">
    <freejoint/>
    <inertial mass="2.5" pos="0 0 0.3" diaginertia="1 1 1"/>
    <geom type="box" size="0.1 0.2 0.3" pos="0 0 0.3" rgba="0.6 0.6 0.6 1"/>
  </body>"""

# prints the seconds that a load takes in a process that has loaded nothing before
FRESH = """
import sys, time
start = time.perf_counter()
import pyrave
pyrave.load(sys.argv[1], resource_roots=sys.argv[2:])
print(time.perf_counter() - start)
"""


def places() -> Iterator[dict[str, float]]:
    """Give where each box stands."""
    for i in range(BODIES):
        angle = 7 * i % 360
        half = math.radians(angle) / 2.0
        yield {
            "i": i,
            "x": 0.5 * (i % 30),
            "y": 0.5 * (i // 30),
            "angle": angle,
            "w": math.cos(half),
            "z": math.sin(half),
        }


def scene() -> str:
    """Return the text of the boxes."""
    bodies = "".join(BODY.format(**place) for place in places())
    return f"<Environment>{bodies}\n</Environment>\n"


def mjcf() -> str:
    """Return the same boxes for MuJoCo."""
    bodies = "".join(MJCF_BODY.format(**place) for place in places())
    return f"<mujoco><worldbody>{bodies}\n</worldbody></mujoco>\n"


def document(path: Path) -> Any:
    """Return the root of an XML file, or of the largest one in an archive."""
    if path.suffix != ".zae":
        return etree.parse(path).getroot()
    with zipfile.ZipFile(path) as archive:
        member = max(archive.infolist(), key=lambda one: one.file_size)
        return etree.fromstring(archive.read(member), etree.XMLParser(huge_tree=True))


def walk(*paths: Path) -> int:
    """Parse files with lxml and visit every tag, text and attribute."""
    count = 0
    for path in paths:
        for element in document(path).iter():
            if isinstance(element.tag, str):
                count += len(element.tag) + len(element.attrib)
            count += len(element.text or "")
    return count


def fresh(path: Path, roots: list[Path]) -> dict[str, float]:
    """Return what importing pyrave and loading takes in a process of its own."""
    command = [sys.executable, "-c", FRESH, str(path), *map(str, roots)]
    times = [
        float(subprocess.run(command, check=True, capture_output=True).stdout)
        for _ in range(1 + PROCESSES)
    ]
    kept = times[1:]  # the first may compile byte code
    return {
        "median_s": statistics.median(kept),
        "min_s": min(kept),
        "max_s": max(kept),
    }


@contextlib.contextmanager
def collector_off() -> Iterator[None]:
    """Keep collections that one case leaves behind out of the next one's time."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def boxes() -> dict[str, Any]:
    """Compare the loads of the thousand boxes."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "boxes.env.xml"
        path.write_text(scene())
        cases: dict[str, Callable[[], Any]] = {
            "lxml_parse_and_walk": lambda: walk(path),
            "pyrave_read": lambda: pyrave.read(path),
            "pyrave_load": lambda: pyrave.load(path),
        }
        try:
            import mujoco
        except ImportError:
            pass
        else:
            other = Path(name) / "boxes.xml"
            other.write_text(mjcf())
            model = mujoco.MjModel.from_xml_path(str(other))
            assert model.nbody == BODIES + 1  # noqa: S101 - the same scene
            cases["mujoco_load"] = lambda: mujoco.MjModel.from_xml_path(str(other))
        assert len(pyrave.load(path).bodies) == BODIES  # noqa: S101
        with collector_off():
            figures = interleaved(cases, ROUNDS, warm_up=2)
        figures["pyrave_in_a_fresh_process"] = fresh(path, [])
        size = path.stat().st_size
        robot = Path(name) / "humanoid.urdf"
        robot.write_text(humanoid().urdf())
        with collector_off():
            (as_urdf,) = compared([robot])["files"].values()
    mine = figures["pyrave_load"]["median_s"]
    found = {
        "bodies": BODIES,
        "bytes": size,
        "figures": figures,
        "ratio_to_lxml": mine / figures["lxml_parse_and_walk"]["median_s"],
        "target_ratio_to_lxml": 15,
        "urdf": as_urdf,
    }
    if "mujoco_load" in figures:
        found["ratio_to_mujoco"] = mine / figures["mujoco_load"]["median_s"]
    return found


def load_all(path: Path, roots: list[Path]) -> list[Any]:
    """Load a scene and every mesh in it; return the meshes, so that they stay."""
    env = pyrave.load(path, resource_roots=roots)
    meshes = []
    for body in env.bodies:
        for link in body.links:
            for geometry in link.geometries:
                description = geometry.description
                for part in (description.shape, description.render):
                    reference = getattr(part, "mesh", None)
                    if getattr(reference, "found", False):
                        meshes.append(env.load_mesh(reference))
                    elif hasattr(reference, "faces"):
                        meshes.append(reference)  # written in the file itself
    return meshes


def triangles(mesh: Any) -> int:
    """Let pycollada place every geometry of its scene; return how many triangles."""
    count = 0
    for geometry in mesh.scene.objects("geometry"):
        for primitive in geometry.primitives():
            count += len(getattr(primitive, "vertex_index", ()))
    return count


def files_of(path: Path, roots: list[Path]) -> list[Path]:
    """Return the XML and COLLADA files that a load opens."""
    opened: dict[Path, None] = {}
    listening = True

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if listening and event == "open" and str(arguments[0]).endswith(DOCUMENTS):
            opened[Path(str(arguments[0]))] = None

    sys.addaudithook(listen)
    pyrave.load(path, resource_roots=roots)
    listening = False
    return list(opened)


def given(
    path: Path, roots: list[Path], openrave: float | None, target: float
) -> dict[str, Any]:
    """Measure the loads of one file."""
    documents = files_of(path, roots)
    env = pyrave.load(path, resource_roots=roots)
    meshes = load_all(path, roots)
    cases: dict[str, Callable[[], Any]] = {
        "lxml_parse_and_walk": lambda: walk(*documents),
        "pyrave_read": lambda: pyrave.read(path, resource_roots=roots),
        "pyrave_load": lambda: pyrave.load(path, resource_roots=roots),
        "pyrave_load_with_meshes": lambda: load_all(path, roots),
    }
    if path.suffix in COLLADA:
        try:
            import collada
        except ImportError:
            pass
        else:
            cases["pycollada"] = lambda: collada.Collada(str(path))
            cases["pycollada_with_triangles"] = lambda: triangles(
                collada.Collada(str(path))
            )
    found = {
        "file": path.name,
        "xml_files": len(documents),
        "bytes": sum(one.stat().st_size for one in documents),
        "bodies": len(env.bodies),
        "links": sum(len(body.links) for body in env.bodies),
        "problems": len(env.problems),
        "meshes": len({id(mesh) for mesh in meshes}),
        "triangles": sum(len(mesh.faces) for mesh in meshes),
    }
    del env, meshes
    with collector_off():
        figures = interleaved(cases, ROUNDS, warm_up=2)
    figures["pyrave_in_a_fresh_process"] = fresh(path, roots)
    mine = figures["pyrave_load"]["median_s"]
    found["figures"] = figures
    found["ratio_to_lxml"] = mine / figures["lxml_parse_and_walk"]["median_s"]
    for name in cases:
        if name.startswith("pycollada"):
            found[f"ratio_to_{name}"] = mine / figures[name]["median_s"]
    if openrave is not None:
        whole = figures["pyrave_load_with_meshes"]["median_s"]
        found["openrave_s"] = openrave
        found["ratio_to_openrave"] = mine / openrave
        found["ratio_to_openrave_with_meshes"] = whole / openrave
        found["target_ratio_to_openrave"] = target
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, help="a scene or robot of your own")
    parser.add_argument("--resource-root", type=Path, action="append", default=[])
    parser.add_argument("--openrave", type=float, help="seconds that OpenRAVE takes")
    parser.add_argument("--target", type=float, default=0.25, help="share of it")
    parser.add_argument("--robwork", action="store_true", help="RobWork's WorkCells")
    parser.add_argument("--urdf", action="store_true", help="robots as URDF")
    options = parser.parse_args()
    if options.urdf:
        with collector_off():
            report("loading", **compared(robots()))
    elif options.robwork:
        from robwork_files import compared as cells_compared

        with collector_off():
            report("loading", **cells_compared(options.file))
    elif options.file is None:
        report("loading", **boxes())
    else:
        file = options.file.absolute()
        found = given(file, options.resource_root, options.openrave, options.target)
        report("loading", **found)


if __name__ == "__main__":
    main()
