"""``pyrave convert``: from one scene format to another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pyrave.cli.options import LoadingOptions, file_arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.errors import Problem

_NO_OPTIONS = LoadingOptions()
_Switch = Annotated[bool, Parameter(negative="", show_default=False)]


def convert(
    source: Path,
    target: Path,
    *arguments: str,
    strict: _Switch = False,
    expand: Annotated[bool | None, Parameter(show_default=False)] = None,
    embed_meshes: _Switch = False,
    body: Annotated[str, Parameter(show_default=False)] = "",
    srdf: _Switch = False,
    report: _Switch = False,
    json: _Switch = False,
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
        name:=value, passed to xacro files.
    strict
        Refuse a file that has warnings.
    expand
        Write bodies out, or name the files that they came from. As is usual in the
        format unless you say so: OpenRAVE XML names files, COLLADA does not.
    embed_meshes
        Write the triangles of meshes instead of naming their files.
    body
        Write this body alone, for formats that hold one.
    srdf
        Write an SRDF next to URDF: groups, end effectors, pairs that may touch.
    report
        Print what was lost, what is said in another way, and what only pyrave reads
        back.
    json
        Print that as JSON (schema pyrave-convert/1).
    """
    from pyrave.api import read
    from pyrave.cli.output import console, notice
    from pyrave.environment.files.writer import write
    from pyrave.formats import LOSS_KINDS
    from pyrave.plugins import default_registry

    given = file_arguments(arguments)
    scene = read(source, strict=strict, arguments=given, **loading.keywords)
    losses = write(
        default_registry(),
        scene,
        target,
        expand=expand,
        embed_meshes=embed_meshes,
        body=body,
        srdf=srdf,
    )
    if json:
        _print_json(source, target, scene.problems, losses)
        return 0
    if report:
        _print_report(losses)
    else:
        for loss in losses:
            title = LOSS_KINDS.get(loss.code, "lost")
            notice(f"{title}: {_line(loss)}")
    console().print(f"{target}: written", soft_wrap=True)
    return 0


def _print_report(losses: Sequence[Problem]) -> None:
    """Write losses to standard output, those of a kind together."""
    from rich.text import Text

    from pyrave.cli.output import console
    from pyrave.formats import LOSS_KINDS

    out = console()
    if not losses:
        out.print("nothing was lost")
    for code, title in LOSS_KINDS.items():
        found = [loss for loss in losses if loss.code == code]
        if not found:
            continue
        out.print(Text(f"{title}:", style="bold"))
        for loss in found:
            out.print(Text(f"  {_line(loss)}"), soft_wrap=True)


def _line(loss: Problem) -> str:
    return f"{loss.message} ({loss.hint})" if loss.hint else loss.message


def _print_json(
    source: Path, target: Path, problems: Sequence[Problem], losses: Sequence[Problem]
) -> None:
    from pyrave.cli.output import print_json
    from pyrave.summary import problem_summary

    print_json(
        {
            "schema": "pyrave-convert/1",
            "source": str(source),
            "target": str(target),
            "problems": [problem_summary(problem) for problem in problems],
            "losses": [
                {"kind": loss.code, "message": loss.message, "hint": loss.hint}
                for loss in losses
            ],
        }
    )
