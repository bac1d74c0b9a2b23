"""Templates of what a package offers besides interfaces: formats, commands, hooks.

``@name@`` stands for the name of the part, ``@class@`` for it as a class's name,
``@module@`` for that of its module; others as in `TypeTemplate`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PartTemplate:
    """Texts for one kind of part.

    Parameters
    ----------
    module
        Its module; the name of the file ends in `ending`.
    test
        Its tests.
    group, value
        Its entry point; ``pyrave.`` comes first, and the package and the module.
    says
        What it is, for the table of the README.
    """

    module: str
    test: str
    group: str
    value: str
    ending: str
    says: str


SCENE_FORMAT = PartTemplate(
    '''"""Scenes as tables: files in ``.@name@``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave import ArgumentError, Problem, Severity
from pyrave.formats import loss, write_bytes
from pyrave.scene import Box, SceneDescription, body_from_boxes

if TYPE_CHECKING:
    from pyrave.formats import ReadContext, SceneSource, Target, WriteContext

_MARK = b"# @name@"


class @class@:
    """A box in each line: its name, centre x y z and half extents x y z, metres."""

    name = "@name@"
    suffixes = (".@name@",)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""
        return head.startswith(_MARK)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        bodies = []
        for number, line in enumerate(source.content.decode().splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            try:
                box = [float(word) for word in words[1:]]
                bodies.append(body_from_boxes(words[0], [box]))
            except (ValueError, ArgumentError):
                context.diagnostics.add(
                    Problem(
                        Severity.ERROR,
                        f"{line!r} is no box; expected a name and six numbers",
                        file=source.file,
                        line=number,
                        code="bad-box",
                    )
                )
        return SceneDescription(bodies=tuple(bodies))

    def write(
        self, scene: SceneDescription, target: Target, context: WriteContext
    ) -> list[Problem]:
        """Write the first box of each body; return what could not be said."""
        lines, losses = [_MARK.decode()], []
        for body in scene.bodies:
            for geometry in body.links[0].geometries[:1] if body.links else ():
                if isinstance(geometry.shape, Box):
                    centre = (body.pose @ geometry.pose).translation
                    numbers = (*centre, *geometry.shape.half_extents)
                    lines.append(" ".join([body.name, *map(repr, numbers)]))
                    break
            else:
                losses.append(loss(f"body {body.name!r} is no box; it is left out"))
        write_bytes(target, "\\n".join([*lines, ""]).encode())
        return losses
''',
    '''"""Files in ``.@name@`` are read and written."""

import pyrave
import pytest


def test_boxes_come_back(tmp_path):
    file = tmp_path / "two.@name@"
    file.write_text("# @name@\\nleft 0 1 0 0.1 0.2 0.3\\nright 0 -1 0 1 1 1\\n")
    env = pyrave.load(file, strict=True)
    assert env.bodies.names == ("left", "right")
    assert env.bodies["left"].aabb[1] == pytest.approx([0.1, 0.2, 0.3])
    env.save(tmp_path / "again.@name@")
    again = pyrave.load(tmp_path / "again.@name@", strict=True)
    assert again.bodies["left"].aabb[0] == pytest.approx([0.0, 1.0, 0.0])


def test_a_mistake_is_reported_with_its_line(tmp_path):
    file = tmp_path / "bad.@name@"
    file.write_text("# @name@\\nleft 0 1\\n")
    with pytest.raises(pyrave.SceneError, match="expected a name and six numbers") as e:
        pyrave.load(file)
    assert e.value.line == 2
''',
    "scene_formats.@name@",
    "@class@",
    "_format",
    "scene format",
)

MESH_FORMAT = PartTemplate(
    '''"""Meshes as text: files in ``.@name@``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyrave.geometry import Mesh

if TYPE_CHECKING:
    from pyrave.formats import MeshSource

_MARK = b"# @name@"
_NUMBERS = 9


class @class@:
    """A triangle in each line: nine numbers, metres."""

    name = "@name@"
    suffixes = (".@name@",)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""
        return head.startswith(_MARK)

    def read(self, source: MeshSource) -> Mesh:
        """Return the triangles; what is wrong is ``source.error``."""
        corners = []
        for number, line in enumerate(source.data.splitlines()[1:], 2):
            words = line.split()
            if len(words) != _NUMBERS:
                raise source.error(f"{len(words)} numbers, expected 9", line=number)
            try:
                corners.append([float(word) for word in words])
            except ValueError:
                raise source.error(f"{line!r} is no triangle", line=number) from None
        vertices = np.array(corners).reshape(-1, 3)
        faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
        return Mesh(vertices, faces)
''',
    '''"""Files in ``.@name@`` are read."""

import pyrave
import pytest


def test_a_triangle_is_read(tmp_path):
    file = tmp_path / "one.@name@"
    file.write_text("# @name@\\n0 0 0 1 0 0 0 1 0\\n")
    geometry = pyrave.load(file, strict=True).bodies["one"].links[0].geometries[0]
    assert geometry.mesh.faces.tolist() == [[0, 1, 2]]


def test_a_mistake_is_reported_with_its_line(tmp_path):
    file = tmp_path / "bad.@name@"
    file.write_text("# @name@\\n0 0 0\\n")
    with pytest.raises(pyrave.SceneError, match="3 numbers, expected 9"):
        pyrave.load(file)
''',
    "mesh_formats.@name@",
    "@class@",
    "_mesh",
    "mesh format",
)

COMMAND = PartTemplate(
    '''"""The command ``pyrave @name@``."""

from __future__ import annotations

import sys
from pathlib import Path

import pyrave


def @snake@(file: Path, *, above: float = 0.0) -> int:
    """List the bodies of a scene and how high they reach.

    Parameters
    ----------
    file
        A scene.
    above
        Leave out bodies that end below this height, metres.
    """
    for body in pyrave.load(file).bodies:
        if body.aabb is None:
            continue
        centre, half = body.aabb
        top = float(centre[2] + half[2])
        if top >= above:
            sys.stdout.write(f"{body.name}: {top:.3f} m\\n")
    return 0
''',
    '''"""The command ``pyrave @name@`` runs."""

from pyrave.cli import main


def test_it_lists_bodies(tmp_path, capsys):
    file = tmp_path / "box.env.xml"
    file.write_text(
        "<environment><kinbody name='box'><body name='b'>"
        "<geom type='box'><extents>1 1 2</extents></geom>"
        "</body></kinbody></environment>"
    )
    assert main(["@name@", str(file)]) == 0
    assert capsys.readouterr().out == "box: 2.000 m\\n"
    assert main(["@name@", str(file), "--above", "3"]) == 0
    assert not capsys.readouterr().out
''',
    "commands",
    "@snake@",
    "_command",
    "command",
)

HOOKS = PartTemplate(
    '''"""Hooks of the package: imported with the first environment of a process."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from pyrave import hookimpl

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.environment import Environment

# environments are kept weakly: a hook module lives as long as the process
_ADDED: weakref.WeakKeyDictionary[Environment, list[str]] = weakref.WeakKeyDictionary()


@hookimpl
def pyrave_body_added(env: Environment, body: KinBody) -> None:
    """Record the bodies that are added."""
    _ADDED.setdefault(env, []).append(body.name)


def added_bodies(env: Environment) -> list[str]:
    """Return the names of the bodies that were added to an environment."""
    return list(_ADDED.get(env, ()))
''',
    '''"""The hooks of the package are called."""

import gc

import pyrave

from @package@ import hooks


def test_added_bodies_are_noted():
    env = pyrave.Environment()
    env.load_string("<kinbody name='a'><body name='b'/></kinbody>")
    assert hooks.added_bodies(env) == ["a"]
    del env
    gc.collect()
    assert not len(hooks._ADDED)
''',
    "plugins",
    "",
    "",
    "hooks",
)

ROBOT = """<?xml version="1.0" encoding="utf-8"?>
<robot name="@package@">
  <kinbody>
    <body name="base" type="static">
      <geom type="box"><extents>0.1 0.1 0.05</extents></geom>
    </body>
    <body name="arm">
      <offsetfrom>base</offsetfrom>
      <translation>0 0 0.1</translation>
      <geom type="box">
        <translation>0.2 0 0</translation>
        <extents>0.2 0.03 0.03</extents>
      </geom>
    </body>
    <joint name="turn" type="hinge">
      <body>base</body>
      <body>arm</body>
      <offsetfrom>arm</offsetfrom>
      <axis>0 0 1</axis>
      <limitsdeg>-170 170</limitsdeg>
    </joint>
  </kinbody>
  <manipulator name="tool">
    <base>base</base>
    <effector>arm</effector>
    <translation>0.4 0 0</translation>
  </manipulator>
</robot>
"""

TEST_ROBOT = '''"""The robot of the package is found by its path, and loads."""

import pyrave


def test_the_robot_loads():
    env = pyrave.load("robots/@package@.robot.xml", strict=True)
    assert env.robots["@package@"].dof == 1
'''

PARTS = {
    "scene_format": SCENE_FORMAT,
    "mesh_format": MESH_FORMAT,
    "command": COMMAND,
    "hooks": HOOKS,
}
