"""Loading meshes of 100 000 triangles, beside trimesh in the same run.

Both give a mesh whose equal vertices are one, which is what trimesh does unless it is
told otherwise; ``trimesh_raw`` is the same without it. Target: below trimesh for every
format that pyrave reads itself.
"""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path

import trimesh
from measuring import interleaved, report

from pyrave.formats import MeshSource, WriteContext
from pyrave.formats.meshes.loader import read_mesh
from pyrave.geometry import sphere_mesh
from pyrave_meshes.hooks import pyrave_mesh_formats

SEGMENTS = 317
ROUNDS = 7
FORMATS = tuple(pyrave_mesh_formats())


def files(folder: Path) -> dict[str, Path]:
    """Write a sphere in every format; return the files by the format's name."""
    mesh = sphere_mesh(0.5, SEGMENTS)
    shape = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    found = {}
    for kind in ("stl", "stl_ascii", "obj", "ply", "ply_ascii", "off", "glb", "dae"):
        name, _, form = kind.partition("_")
        path = folder / f"{kind}.{name}"
        if kind == "dae":
            # nothing but a library that is not needed writes it
            path.write_text(collada(mesh))
        elif kind == "ply":
            writer = next(one for one in FORMATS if one.name == "PLY")
            writer.write(mesh, path, WriteContext())
        elif kind == "ply_ascii":
            path.write_bytes(shape.export(file_type="ply", encoding=form))
        else:
            data = shape.export(file_type=kind)
            path.write_bytes(data.encode() if isinstance(data, str) else data)
        found[kind] = path
    return found


def collada(mesh) -> str:
    points = " ".join(map(repr, mesh.vertices.ravel().tolist()))
    corners = " ".join(map(str, mesh.faces.ravel().tolist()))
    return (
        '<COLLADA version="1.4.1"><library_geometries><geometry id="g"><mesh>'
        f'<source id="p"><float_array id="a">{points}</float_array></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
        '<triangles><input semantic="VERTEX" source="#v" offset="0"/>'
        f"<p>{corners}</p></triangles></mesh></geometry></library_geometries></COLLADA>"
    )


def main() -> None:
    results: dict = {}
    gc.disable()
    with tempfile.TemporaryDirectory() as name:
        for kind, path in files(Path(name)).items():
            file_type = "stl_ascii" if kind == "stl_ascii" else path.suffix[1:]
            cases = {
                "pyrave": lambda p=path: read_mesh(MeshSource.open(str(p)), FORMATS)
            }
            if kind != "dae":
                cases["trimesh"] = lambda p=path, t=file_type: trimesh.load(
                    p, file_type=t
                )
                cases["trimesh_raw"] = lambda p=path, t=file_type: trimesh.load(
                    p, file_type=t, process=False
                )
            figures = interleaved(cases, ROUNDS)
            results[kind] = {
                "bytes": path.stat().st_size,
                "triangles": len(cases["pyrave"]().faces),
                "figures": figures,
                "ratio": figures["pyrave"]["median_s"]
                / figures.get("trimesh", {"median_s": float("nan")})["median_s"],
            }
    report("meshes", formats=results, target=1.0)


if __name__ == "__main__":
    main()
