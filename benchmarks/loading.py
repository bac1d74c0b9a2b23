"""Loading 1000 one-box bodies against lxml's parse and walk of the same file.

Target: <= 15x.
"""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

from lxml import etree
from measuring import interleaved, report

import pyrave

BODIES = 1000
ROUNDS = 11

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


def scene() -> str:
    """Return the text of the scene."""
    bodies = "".join(
        BODY.format(i=i, x=0.5 * (i % 30), y=0.5 * (i // 30), angle=7 * i % 360)
        for i in range(BODIES)
    )
    return f"<Environment>{bodies}\n</Environment>\n"


def walk(path: Path) -> int:
    """Parse a file with lxml and visit every tag, text and attribute."""
    count = 0
    for element in etree.parse(path).getroot().iter():
        count += len(element.tag) + len(element.text or "") + len(element.attrib)
    return count


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "boxes.env.xml"
        path.write_text(scene())
        gc.disable()
        figures = interleaved(
            {
                "lxml_parse_and_walk": lambda: walk(path),
                "pyrave_read": lambda: pyrave.read(path),
                "pyrave_load": lambda: pyrave.load(path),
            },
            ROUNDS,
            warm_up=2,
        )
        size = path.stat().st_size
    report(
        "loading",
        bodies=BODIES,
        bytes=size,
        figures=figures,
        ratio=figures["pyrave_load"]["median_s"]
        / figures["lxml_parse_and_walk"]["median_s"],
        target=15,
    )


if __name__ == "__main__":
    main()
