"""Scenes as tables: files in ``.keptscene``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave import ArgumentError, Problem, Severity
from pyrave.formats import loss, write_bytes
from pyrave.scene import Box, SceneDescription, body_from_boxes

if TYPE_CHECKING:
    from pyrave.formats import ReadContext, SceneSource, Target, WriteContext

_MARK = b"# keptscene"


class KeptsceneFormat:
    """A box in each line: its name, centre x y z and half extents x y z, metres."""

    name = "keptscene"
    suffixes = (".keptscene",)

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
        write_bytes(target, "\n".join([*lines, ""]).encode())
        return losses
