"""Meshes, bounding-volume trees, ray casts and pictures; no display is needed.

Nothing here imports numba before the first cast.
"""

from pyrave.geometry.camera import Camera
from pyrave.geometry.image import encode_png, write_png
from pyrave.geometry.mesh import Mesh
from pyrave.geometry.polygon import ClippingBudget, triangulate_faces
from pyrave.geometry.primitives import (
    box_mesh,
    capsule_mesh,
    cylinder_mesh,
    posed_aabb,
    prism_mesh,
    shape_aabb,
    shape_boxes,
    shape_mesh,
    sphere_mesh,
)
from pyrave.geometry.rayscene import RayHits, RayInstance, RayScene, ray_instances
from pyrave.geometry.render import overlay_points, overlay_segments, render
from pyrave.geometry.topology import weld

__all__ = [
    "Camera",
    "ClippingBudget",
    "Mesh",
    "RayHits",
    "RayInstance",
    "RayScene",
    "box_mesh",
    "capsule_mesh",
    "cylinder_mesh",
    "encode_png",
    "overlay_points",
    "overlay_segments",
    "posed_aabb",
    "prism_mesh",
    "ray_instances",
    "render",
    "shape_aabb",
    "shape_boxes",
    "shape_mesh",
    "sphere_mesh",
    "triangulate_faces",
    "weld",
    "write_png",
]
