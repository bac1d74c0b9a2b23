"""``pyrave convert``: from one scene format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pyrave.cli.options import LoadingOptions, file_arguments, session

__all__ = ["convert"]

_NO_OPTIONS = LoadingOptions()


def convert(
    source: Path,
    target: Path,
    *arguments: str,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    expand: Annotated[bool | None, Parameter(show_default=False)] = None,
    embed_meshes: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: LoadingOptions = _NO_OPTIONS,
) -> int:
    """Read a scene file and write it in the format that the target's suffix names.

    Parameters
    ----------
    source
        File to read.
    target
        File to write.
    arguments
        name:=value, told to xacro files.
    strict
        Refuse a file that has warnings.
    expand
        Write bodies out, or name the files that they came from. As is usual in the
        format unless you say so: OpenRAVE XML names files, COLLADA does not.
    embed_meshes
        Write the triangles of meshes instead of naming their files.
    """
    from pyrave.cli.output import console, error_console, print_problems
    from pyrave.environment.loading import write
    from pyrave.plugins import default_registry
    from pyrave.session import read

    given = file_arguments(arguments)
    scene = read(source, strict=strict, arguments=given, **loading.keywords)
    print_problems(scene.problems, trace=session.trace)
    losses = write(
        default_registry(), scene, target, expand=expand, embed_meshes=embed_meshes
    )
    for loss in losses:
        error_console().print(f"not written: {loss}", soft_wrap=True, markup=False)
    console().print(f"{target}: written", soft_wrap=True)
    return 0
