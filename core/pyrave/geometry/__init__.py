"""Meshes, bounding-volume trees, ray casts, pictures, even grids; without a display.

Nothing here imports numba before the first cast.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.geometry.camera import Camera
    from pyrave.geometry.convex_decomposition import convex_pieces
    from pyrave.geometry.convexhull import hull_faces, hull_planes, padded_hull
    from pyrave.geometry.grids.lattices import kronecker_sequence, lattice_points
    from pyrave.geometry.grids.rotations import (
        hopf_coordinates,
        hopf_quaternions,
        rotation_cells,
        rotation_grid,
        rotation_level,
        rotation_sequence,
    )
    from pyrave.geometry.grids.sphere import (
        geodesic_sphere,
        healpix_directions,
        healpix_pixels,
        sphere_sequence,
    )
    from pyrave.geometry.image import (
        IMAGE_ENDINGS,
        Picture,
        check_image_file,
        encode_jpeg,
        encode_png,
        label_colors,
        write_image,
    )
    from pyrave.geometry.lens import Lens
    from pyrave.geometry.look import Lamp, Lighting, Look, Surface
    from pyrave.geometry.mesh import Mesh
    from pyrave.geometry.overlay import overlay_points, overlay_segments
    from pyrave.geometry.pointcloud import (
        POINT_CLOUD_SUFFIXES,
        check_point_cloud_suffix,
        encode_points,
        write_points,
    )
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
    from pyrave.geometry.rayhits import RAY_FIELDS, RayHits
    from pyrave.geometry.rayinstances import (
        Cone,
        Plane,
        RayInstance,
        Solid,
        kind_and_sizes,
        ray_instances,
    )
    from pyrave.geometry.rayscene import RayScene
    from pyrave.geometry.raysolids import RaySolids
    from pyrave.geometry.renderer import Surroundings, View, render, view
    from pyrave.geometry.texture import (
        check_texture,
        colors_of,
        texture_levels,
        texture_pixels,
    )
    from pyrave.geometry.texture_lookup import Covering
    from pyrave.geometry.topology import weld

__all__ = [
    "IMAGE_ENDINGS",
    "POINT_CLOUD_SUFFIXES",
    "RAY_FIELDS",
    "Camera",
    "ClippingBudget",
    "Cone",
    "Covering",
    "Lamp",
    "Lens",
    "Lighting",
    "Look",
    "Mesh",
    "Picture",
    "Plane",
    "RayHits",
    "RayInstance",
    "RayScene",
    "RaySolids",
    "Solid",
    "Surface",
    "Surroundings",
    "View",
    "box_mesh",
    "capsule_mesh",
    "check_image_file",
    "check_point_cloud_suffix",
    "check_texture",
    "colors_of",
    "convex_pieces",
    "cylinder_mesh",
    "encode_jpeg",
    "encode_png",
    "encode_points",
    "geodesic_sphere",
    "healpix_directions",
    "healpix_pixels",
    "hopf_coordinates",
    "hopf_quaternions",
    "hull_faces",
    "hull_planes",
    "kind_and_sizes",
    "kronecker_sequence",
    "label_colors",
    "lattice_points",
    "overlay_points",
    "overlay_segments",
    "padded_hull",
    "posed_aabb",
    "prism_mesh",
    "ray_instances",
    "render",
    "rotation_cells",
    "rotation_grid",
    "rotation_level",
    "rotation_sequence",
    "shape_aabb",
    "shape_boxes",
    "shape_mesh",
    "sphere_mesh",
    "sphere_sequence",
    "texture_levels",
    "texture_pixels",
    "triangulate_faces",
    "view",
    "weld",
    "write_image",
    "write_points",
]


__getattr__, __dir__ = exports(
    __name__,
    {
        "convex_decomposition": "convex_pieces",
        "convexhull": "hull_faces hull_planes padded_hull",
        "camera": "Camera",
        "image": "IMAGE_ENDINGS Picture check_image_file encode_jpeg encode_png "
        "label_colors write_image",
        "grids.lattices": "kronecker_sequence lattice_points",
        "lens": "Lens",
        "look": "Lamp Lighting Look Surface",
        "mesh": "Mesh",
        "overlay": "overlay_points overlay_segments",
        "pointcloud": "POINT_CLOUD_SUFFIXES check_point_cloud_suffix encode_points "
        "write_points",
        "polygon": "ClippingBudget triangulate_faces",
        "primitives": "box_mesh capsule_mesh cylinder_mesh posed_aabb prism_mesh "
        "shape_aabb shape_boxes shape_mesh sphere_mesh",
        "rayhits": "RAY_FIELDS RayHits",
        "rayinstances": "Cone Plane RayInstance Solid kind_and_sizes ray_instances",
        "rayscene": "RayScene",
        "raysolids": "RaySolids",
        "renderer": "Surroundings View render view",
        "grids.rotations": "hopf_coordinates hopf_quaternions rotation_cells "
        "rotation_grid rotation_level rotation_sequence",
        "grids.sphere": "geodesic_sphere healpix_directions healpix_pixels "
        "sphere_sequence",
        "texture": "check_texture colors_of texture_levels texture_pixels",
        "texture_lookup": "Covering",
        "topology": "weld",
    },
)
