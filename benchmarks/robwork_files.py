"""Loading of RobWork's WorkCells and Dynamic WorkCells beside lxml."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree
from measuring import interleaved

import pyrave
from pyrave.scene import MeshReference

__all__ = ["compared", "made"]

ROUNDS = 15
_ARMS, _BOXES = 20, 300
_SUFFIXES = (".wc.xml", ".dwc.xml")

_JOINT = """
    <Joint name="Joint{j}" type="Revolute">
      <RPY>{angle} 0 90</RPY> <Pos>0 0 0.25</Pos>
      <PosLimit min="-170" max="170" />
      <VelLimit max="110" />
      <AccLimit max="300" />
      <Drawable name="Joint{j}Geo">
        <RPY>0 0 0</RPY> <Pos>0 0 0.125</Pos>
        <RGB>0.8 0.8 0.9</RGB>
        <Cylinder radius="0.06" z="0.25" />
      </Drawable>
    </Joint>"""
_ARM = """
  <Frame name="Stand{i}"><RPY>0 0 0</RPY><Pos>{x} {y} 0.5</Pos></Frame>
  <SerialDevice name="Arm{i}">
    <Frame name="Base">
      <Drawable name="BaseGeo">
        <RPY>0 0 0</RPY> <Pos>0 0 0</Pos>
        <RGB>0.2 0.2 0.2</RGB>
        <Box x="0.2" y="0.2" z="0.1" />
      </Drawable>
    </Frame>{joints}
    <Frame name="TCP"><RPY>0 0 0</RPY><Pos>0 0 0.1</Pos></Frame>
    <Q name="Home">0.1 0.2 0.3 0 0.5 0</Q>
  </SerialDevice>"""
_BOX = """
  <Frame name="Box{i}" refframe="WORLD" type="Movable">
    <RPY>{angle} 0 0</RPY> <Pos>{x} {y} 1.5</Pos>
    <Property name="Note" type="double">2.5</Property>
    <Drawable name="BoxGeo{i}">
      <RPY>0 0 0</RPY> <Pos>0 0 0.3</Pos>
      <RGB>0.6 0.6 0.6</RGB>
      <Box x="0.2" y="0.4" z="0.6" />
    </Drawable>
  </Frame>"""

_RIGID = """
  <RigidBody frame="Box{i}">
    <Mass>2.5</Mass> <COG>0 0 0.3</COG>
    <Inertia>0.1 0 0 0 0.2 0 0 0 0.3</Inertia>
    <MaterialID>Steel</MaterialID> <ObjectID>hard</ObjectID>
    <Integrator>Euler</Integrator>
  </RigidBody>"""
_DEVICE = """
  <RigidDevice device="Arm{i}">{limits}
    <FixedBase frame="Base"><MaterialID>Steel</MaterialID></FixedBase>{links}
  </RigidDevice>"""
_FORCE = """
    <ForceLimit joint="Joint{j}">100</ForceLimit>"""
_LINK = """
    <RigidJoint joint="Joint{j}">
      <Mass>1.5</Mass> <COG>0 0 0.1</COG>
      <Inertia>0.1 0.2 0.3</Inertia>
      <MaterialID>Steel</MaterialID>
    </RigidJoint>"""
_DYNAMICS = """<DynamicWorkCell workcell="made.wc.xml">
  <Gravity>0 0 -9.82</Gravity>
  <MaterialData>
    <Default>Steel</Default>
    <Material id="Steel"><Description>sheets</Description></Material>
  </MaterialData>
  <ObjectTypeData>
    <Default>hard</Default>
    <ObjectType id="hard"><Description>most</Description></ObjectType>
  </ObjectTypeData>
  <FrictionMap>
    <Pair first="Steel" second="Steel">
      <FrictionData type="Coulomb"><Mu>0.4</Mu></FrictionData>
    </Pair>
  </FrictionMap>
  <ContactMap>
    <Pair first="hard" second="hard">
      <ContactData type="Newton"><cr>0.5</cr></ContactData>
    </Pair>
  </ContactMap>{items}
</DynamicWorkCell>
"""


def made(folder: Path) -> Iterator[Path]:
    """Write a cell of 300 boxes and 20 arms, and its Dynamic WorkCell; yield both."""
    joints = "".join(_JOINT.format(j=j, angle=30 * j) for j in range(6))
    arms = [_ARM.format(i=i, x=i % 5, y=i // 5, joints=joints) for i in range(_ARMS)]
    boxes = [
        _BOX.format(i=i, angle=7 * i % 360, x=0.5 * (i % 30), y=0.5 * (i // 30))
        for i in range(_BOXES)
    ]
    cell = folder / "made.wc.xml"
    text = "".join((*boxes, *arms))
    cell.write_text(f'<WorkCell name="Cell">{text}\n</WorkCell>\n')
    yield cell
    limits = "".join(_FORCE.format(j=j) for j in range(6))
    links = "".join(_LINK.format(j=j) for j in range(6))
    items = [_RIGID.format(i=i) for i in range(_BOXES)]
    items += [_DEVICE.format(i=i, limits=limits, links=links) for i in range(_ARMS)]
    dynamic = folder / "made.dwc.xml"
    dynamic.write_text(_DYNAMICS.format(items="".join(items)))
    yield dynamic


def compared(corpus: Path | None) -> dict[str, Any]:
    """Measure the load of the made cells, and of each file of a folder that loads.

    Beside it stand lxml's parse and walk of all XML files that the load opens; its
    tolerant parse, for RobWork's files are not all well-formed. Meshes that a load
    opens, those of estimated inertias, are read on lxml's side too. Ratios are of
    processor times.
    """
    with tempfile.TemporaryDirectory() as folder:
        found = {path.name: _compared(path) for path in made(Path(folder))}
    result: dict[str, Any] = {"target_ratio_to_lxml": 12, "files": found}
    if corpus is not None:
        paths = sorted(
            path for path in corpus.rglob("*.xml") if path.name.endswith(_SUFFIXES)
        )
        rows = {
            path.relative_to(corpus).as_posix(): _compared(path)
            for path in paths
            if _loads(path)
        }
        ratios = [row["ratio_to_lxml"] for row in rows.values()]
        result["corpus"] = {
            "median_ratio_to_lxml": statistics.median(ratios),
            "largest_ratio_to_lxml": max(ratios),
            "files": rows,
        }
    return result


def _loads(path: Path) -> bool:
    try:
        pyrave.load(path)
    except pyrave.Error:
        return False
    return True


def _compared(path: Path) -> dict[str, Any]:
    opened = _opened(path)
    documents = [one for one in opened if one.suffix == ".xml"]
    meshes = [str(one) for one in opened if one.suffix != ".xml"]
    cases: dict[str, Callable[[], Any]] = {
        "lxml_parse": lambda: _parse(documents, meshes),
        "lxml_parse_and_walk": lambda: _walk(documents, meshes),
        "pyrave_read": lambda: pyrave.read(path),
        "pyrave_load": lambda: pyrave.Environment().load(path),
    }
    figures = interleaved(cases, ROUNDS, warm_up=2)
    spent = figures["pyrave_load"]["cpu_s"]
    return {
        "bytes": sum(one.stat().st_size for one in documents),
        "xml_files": len(documents),
        "meshes": len(meshes),
        "ratio_to_lxml": spent / figures["lxml_parse_and_walk"]["cpu_s"],
        "ratio_to_lxml_without_walk": spent / figures["lxml_parse"]["cpu_s"],
        "figures": figures,
    }


def _opened(path: Path) -> list[Path]:
    """Return the XML files and meshes that a load opens."""
    found: dict[Path, None] = {}
    listening = True

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if listening and event == "open" and isinstance(arguments[0], str):
            found[Path(arguments[0])] = None

    pyrave.load(path)
    sys.addaudithook(listen)
    pyrave.load(path)
    listening = False
    return list(found)


def _parse(documents: list[Path], meshes: list[str]) -> list[Any]:
    if meshes:
        env = pyrave.Environment()
        for mesh in meshes:
            env.load_mesh(MeshReference(mesh))
    parser = etree.XMLParser(recover=True)
    return [etree.fromstring(one.read_bytes(), parser) for one in documents]


def _walk(documents: list[Path], meshes: list[str]) -> int:
    count = 0
    for root in _parse(documents, meshes):
        for element in root.iter():
            if isinstance(element.tag, str):
                count += len(element.tag) + len(element.attrib)
            count += len(element.text or "")
    return count
