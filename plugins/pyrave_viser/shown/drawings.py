"""Drawings of scripts as nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry import Mesh, box_mesh
from pyrave.pictures import (
    DrawnArrow,
    DrawnBoxes,
    DrawnFrames,
    DrawnLines,
    DrawnMesh,
    DrawnPlane,
    DrawnPoints,
    DrawnText,
    arrow_mesh,
    plane_mesh,
)
from pyrave_viser.shown.colors import linear
from pyrave_viser.shown.quaternions import quaternions_of

if TYPE_CHECKING:
    import viser

    from pyrave.pictures import Drawings, Drawn, Entry
    from pyrave.spatial import Array

_ROOT = "/drawings"
_AXIS_THICKNESS = 0.06


class ShownDrawings:
    """The drawings of an environment as a server shows them."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._server = server
        self._version = -1
        self._shown: dict[int, Entry] = {}
        self._nodes: dict[int, Any] = {}

    def follow(self, drawings: Drawings | None) -> None:
        """Take over what is drawn now."""
        if drawings is None or drawings.version == self._version:
            return
        self._version = drawings.version
        present = drawings.entries()
        for key in self._shown.keys() - present.keys():
            self._nodes.pop(key).remove()
        for key, entry in present.items():
            known = self._shown.get(key)
            if known is None:
                self._nodes[key] = node_of(
                    self._server.scene, f"{_ROOT}/{key}", entry.item
                )
            if known is None or known.visible != entry.visible:
                self._nodes[key].visible = entry.visible
        self._shown = present


def node_of(scene: viser.SceneApi, name: str, item: Drawn) -> Any:
    """Add a node that shows something and return its handle."""
    match item:
        case DrawnPoints(points, colors, size):
            return scene.add_point_cloud(
                name, points, colors[:, :3], point_size=size, point_shape="circle",
                precision="float32",
            )  # fmt: skip
        case DrawnLines(segments, colors, width):
            both = np.repeat(linear(colors[:, None, :3]), 2, axis=1)
            return scene.add_line_segments(
                name, segments, both, thickness=width, thickness_units="screen"
            )
        case DrawnArrow():
            return _mesh(scene, name, arrow_mesh(item), np.eye(4), item.color)
        case DrawnMesh(vertices, faces, pose, color):
            return _mesh(scene, name, Mesh(vertices, faces), pose, color)
        case DrawnPlane(pose, half_extents, color, texture):
            if texture is None:
                return _mesh(scene, name, plane_mesh(item), pose, color)
            width, height = (2.0 * half_extents).tolist()
            # images of viser look along +z, with y down
            turned = pose @ np.diag((1.0, -1.0, -1.0, 1.0))
            return scene.add_image(
                name, texture, width, height, format="png", **_placed(turned)
            )
        case DrawnText(text, position, _, height):
            return scene.add_label(
                name, text, position=position, font_size_mode="scene",
                font_scene_height=height, depth_test=True, anchor="bottom-left",
            )  # fmt: skip
        case DrawnFrames(poses, length):
            return scene.add_batched_axes(
                name, quaternions_of(poses[:, :3, :3]), poses[:, :3, 3],
                axes_length=length, axes_radius=0.5 * _AXIS_THICKNESS * length,
            )  # fmt: skip
        case DrawnBoxes():
            return _boxes(scene, name, item)


def _mesh(
    scene: viser.SceneApi, name: str, mesh: Mesh, pose: Array, color: Array
) -> Any:
    return scene.add_mesh_simple(
        name, mesh.vertices, mesh.faces, color=tuple(color[:3].tolist()),
        opacity=None if color[3] >= 1.0 else float(color[3]),
        flat_shading=True, side="double", receive_shadow=False, **_placed(pose),
    )  # fmt: skip


def _boxes(scene: viser.SceneApi, name: str, item: DrawnBoxes) -> Any:
    unit = box_mesh((1.0, 1.0, 1.0))
    opacities = item.colors[:, 3].astype(np.float32)
    return scene.add_batched_meshes_simple(
        name, unit.vertices, unit.faces, quaternions_of(item.poses[:, :3, :3]),
        item.poses[:, :3, 3],
        batched_scales=item.half_extents.astype(np.float32),
        batched_colors=linear(item.colors[:, :3]),
        batched_opacities=None if (opacities >= 1.0).all() else opacities,
        lod="off", flat_shading=True,
    )  # fmt: skip


def _placed(pose: Array) -> dict[str, Array]:
    return {
        "position": pose[:3, 3], "wxyz": quaternions_of(pose[None, :3, :3])[0]
    }  # fmt: skip
