"""Reading and writing scene and mesh files.

Names are loaded when they are first used, so that importing this is light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.formats.context import ReadContext, WriteContext
    from pyrave.formats.custom_readers import (
        CustomReaderContext,
        keep_element,
        run_custom_reader,
        sensor_readable,
        tags_of_readers,
    )
    from pyrave.formats.diagnostics import Diagnostics
    from pyrave.formats.format_detection import is_urdf
    from pyrave.formats.meshes.loader import load_mesh
    from pyrave.formats.meshes.mesh_format import (
        MeshFormat,
        MeshSource,
        WritableMeshFormat,
    )
    from pyrave.formats.meshes.textures import read_texture
    from pyrave.formats.output.companions import Companions
    from pyrave.formats.output.file_names import FileNames
    from pyrave.formats.output.losses import LOSS_KINDS, Losses, LossKind, loss
    from pyrave.formats.output.targets import Target, target_name, write_bytes
    from pyrave.formats.registry import (
        SceneFormat,
        SceneSource,
        open_source,
        read_scene,
        read_scene_text,
        write_scene,
    )
    from pyrave.formats.resolver import OutsideRootsError, Resolver
    from pyrave.formats.simulation_data import named_simulation_data
    from pyrave.formats.xml import (
        XmlLimits,
        add_xml,
        from_xml_element,
        local_name,
        parse_document,
        to_xml_element,
    )

__all__ = [
    "LOSS_KINDS",
    "Companions",
    "CustomReaderContext",
    "Diagnostics",
    "FileNames",
    "LossKind",
    "Losses",
    "MeshFormat",
    "MeshSource",
    "OutsideRootsError",
    "ReadContext",
    "Resolver",
    "SceneFormat",
    "SceneSource",
    "Target",
    "WritableMeshFormat",
    "WriteContext",
    "XmlLimits",
    "add_xml",
    "from_xml_element",
    "is_urdf",
    "keep_element",
    "load_mesh",
    "local_name",
    "loss",
    "named_simulation_data",
    "open_source",
    "parse_document",
    "read_scene",
    "read_scene_text",
    "read_texture",
    "run_custom_reader",
    "sensor_readable",
    "tags_of_readers",
    "target_name",
    "to_xml_element",
    "write_bytes",
    "write_scene",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "output.companions": "Companions",
        "context": "ReadContext WriteContext",
        "custom_readers": "CustomReaderContext keep_element run_custom_reader "
        "sensor_readable tags_of_readers",
        "diagnostics": "Diagnostics",
        "output.file_names": "FileNames",
        "simulation_data": "named_simulation_data",
        "output.losses": "LOSS_KINDS Losses LossKind loss",
        "meshes.mesh_format": "MeshFormat MeshSource WritableMeshFormat",
        "meshes.loader": "load_mesh",
        "registry": "SceneFormat SceneSource open_source read_scene read_scene_text "
        "write_scene",
        "resolver": "OutsideRootsError Resolver",
        "format_detection": "is_urdf",
        "output.targets": "Target target_name write_bytes",
        "meshes.textures": "read_texture",
        "xml": "XmlLimits add_xml from_xml_element local_name parse_document "
        "to_xml_element",
    },
)
