"""The file-format protocol, and the choice of a file's format."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100, PTH113, PTH120, PTH202

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TextIO, runtime_checkable

from pyrave.errors import (
    ArgumentError,
    NotFoundError,
    Problem,
    ResourceError,
    SceneError,
    Severity,
)
from pyrave.files import OutsideError, read_file
from pyrave.formats.format_detection import (
    foreign_format,
    is_postponed,
    is_xml,
    what_is_no_scene,
)
from pyrave.formats.output.losses import loss
from pyrave.scene.kept_readables import check_writable, without_failing

if TYPE_CHECKING:
    from pyrave.formats.context import ReadContext, WriteContext
    from pyrave.formats.meshes.mesh_format import MeshFormat
    from pyrave.formats.output.targets import Target
    from pyrave.scene import SceneDescription

_HEAD_BYTES = 65536
_NAMES = frozenset({"name", "prefix"})
"""Attributes that files of all formats take from a caller."""
_MAX_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SceneSource:
    """The content of a scene file and where it came from.

    Parameters
    ----------
    data
        Bytes of a file, or text that was given as text.
    file
        Absolute path, or a name such as ``<string>``.
    folder
        Folder that relative names start from; None: the working directory.
    fragment
        The id of what is meant in it: what stood behind ``#`` in the name.
    """

    data: bytes | str
    file: str
    folder: str | None = None
    fragment: str = ""

    @property
    def head(self) -> bytes:
        """The first bytes, by which a format is recognised."""
        if isinstance(self.data, str):
            return self.data[:_HEAD_BYTES].encode("utf-8", "replace")
        return self.data[:_HEAD_BYTES]

    @property
    def content(self) -> bytes:
        """All of it as bytes: a text in UTF-8, or in what readers refuse as such."""
        if isinstance(self.data, str):
            return self.data.encode("utf-8", "surrogatepass")
        return self.data


@runtime_checkable
class SceneFormat(Protocol):
    """A scene file format; plugins offer them with ``pyrave_scene_formats``.

    `suffixes` are lower case with the dot, the most specific first. A format whose
    reader heeds ``ReadContext.attributes`` has ``reads_attributes = True`` as well;
    what others read is renamed by ``name`` and ``prefix`` alone. One that heeds
    ``SceneSource.fragment`` has ``reads_fragments = True``, one that heeds
    ``WriteContext.srdf`` has ``writes_srdf = True``.
    """

    @property
    def name(self) -> str:
        """Name of the format, for messages and `format=` arguments."""

    @property
    def suffixes(self) -> Sequence[str]:
        """Suffixes of its files."""

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""


def open_source(
    source: str | os.PathLike[str] | BinaryIO | TextIO,
    context: ReadContext | None = None,
    *,
    included: bool = False,
) -> SceneSource:
    """Return the content of a path or file object.

    A relative path that is not there is looked for with the context's resolver. Where
    no file has the name, what stands behind its last ``#`` is a fragment.

    Parameters
    ----------
    included
        A file names it, not the caller: where files are confined, it may lead nowhere
        but below the roots.

    Raises
    ------
    ResourceError
        If there is no such file.
    SceneError
        If it cannot be read or is absurdly large.
    """
    if isinstance(source, (str, os.PathLike)):
        path, fragment = _found(os.fspath(source), context)
        try:
            if os.path.getsize(path) > _MAX_BYTES:
                raise _too_large(path)
            if context is None:
                content = read_file(path, _MAX_BYTES)
            elif included:
                content = context.resolver.read(path, _MAX_BYTES)
            else:
                content = context.resolver.read_main(path, _MAX_BYTES)
            if len(content) > _MAX_BYTES:
                raise _too_large(path)
            return SceneSource(content, path, os.path.dirname(path), fragment)
        except OSError as error:
            outside = isinstance(error, OutsideError)
            raise SceneError.refusal(
                "outside-roots" if outside else "",
                f"it cannot be read: {error.strerror or error}",
                file=path,
            ) from error
    if not hasattr(source, "read"):
        raise ArgumentError(
            f"source is a {type(source).__name__}, expected a path or a file object"
        )
    name = getattr(source, "name", None)
    data = source.read()
    if isinstance(name, str) and os.path.isfile(name):
        return SceneSource(
            data, os.path.abspath(name), os.path.dirname(os.path.abspath(name))
        )
    return SceneSource(data, "<file object>")


def _too_large(path: str) -> SceneError:
    return SceneError(f"{path} is larger than {_MAX_BYTES} bytes")


def _found(name: str, context: ReadContext | None) -> tuple[str, str]:
    """Return the absolute path of a file and a fragment."""
    head, mark, fragment = name.rpartition("#")
    for path, part in ((name, ""), (head, fragment)):
        if path and os.path.isfile(path):
            full = os.path.abspath(path)
            if context is not None:
                context.resolver.follow(full)
            return full, part
    if context is None:
        raise ResourceError(name)
    if mark and head and context.resolver.find(name) is None:
        return os.path.abspath(context.resolver.resolve(head)), fragment
    return os.path.abspath(context.resolver.resolve(name)), ""


def with_mesh_scenes(
    scene_formats: Iterable[SceneFormat],
    mesh_formats: Callable[[], Iterable[MeshFormat]],
) -> Iterator[SceneFormat]:
    """Yield scene formats, and after them each mesh format as one.

    Formats that say ``is_scene = False`` are left out: a COLLADA robot is no lump of
    triangles, even if nothing reads it as more.

    Parameters
    ----------
    mesh_formats
        Called when no scene format was taken, as it imports their readers.
    """
    yield from scene_formats
    from pyrave.formats.meshes.scene import MeshScene

    for one in mesh_formats():
        if getattr(one, "is_scene", True):
            yield MeshScene(one)


def read_scene(
    source: str | os.PathLike[str] | BinaryIO | TextIO | SceneSource,
    formats: Iterable[SceneFormat],
    context: ReadContext,
) -> SceneDescription:
    """Read a scene: its content decides the format, then its suffix.

    Returns
    -------
    SceneDescription
        With `problems` filled in; they are also in ``context.diagnostics``.

    Raises
    ------
    SceneError
        With every problem of the load, if it is refused.
    ResourceError
        If there is no such file.
    """
    if not isinstance(source, SceneSource):
        source = open_source(source, context)
    chosen = _pick(source, formats)
    names: dict[str, str] = {}
    if not getattr(chosen, "reads_attributes", False):
        names = {key.lower(): value for key, value in context.attributes.items()}
        if names.keys() - _NAMES:
            raise ArgumentError(
                f"attributes are given ({', '.join(context.attributes)}), but "
                f"{source.file} is of the format {chosen.name}, whose root takes a "
                "name and a prefix alone; load it without, or include it in OpenRAVE "
                "XML"
            )
    if source.fragment and not getattr(chosen, "reads_fragments", False):
        raise ArgumentError(
            f"the fragment {source.fragment!r} is given, but {source.file} is of the "
            f"format {chosen.name}, which has no parts to choose from; load it without"
        )
    try:
        scene = chosen.read(source, context)
    except SceneError as error:
        context.diagnostics.extend(error.problems)
        raise SceneError(context.diagnostics.problems) from error
    for name, (used, *others) in context.resolver.ambiguous.items():
        context.diagnostics.add(
            Problem(
                Severity.WARNING,
                f"several packages have the file {name!r}: {used} is used, not "
                f"{' or '.join(others)}",
                file=source.file,
                hint="name the package in a <plugin> tag, or give the path",
                code="ambiguous-file",
            )
        )
    context.diagnostics.raise_if_refused(strict=context.strict)
    if any(names.values()):
        from pyrave.formats.new_names import renamed

        scene = renamed(scene, **names)
    problems = context.diagnostics.problems
    return scene if scene.problems == problems else replace(scene, problems=problems)


def read_scene_text(
    text: str | bytes,
    formats: Iterable[SceneFormat],
    context: ReadContext,
    *,
    name: str = "<string>",
    folder: str | None = None,
) -> SceneDescription:
    """Read a scene from text; relative names start from `folder`."""
    return read_scene(SceneSource(text, name, folder), formats, context)


def write_scene(
    scene: SceneDescription,
    target: Target,
    formats: Iterable[SceneFormat],
    context: WriteContext,
    *,
    format_name: str | None = None,
) -> list[Problem]:
    """Write a scene in the format of that name, or of the target's longest suffix.

    Raises
    ------
    ArgumentError
        If no format fits; says which there are.
    """
    known = list(formats)
    if format_name is not None:
        fitting = [one for one in known if one.name.lower() == format_name.lower()]
    else:
        name = ""
        if isinstance(target, (str, os.PathLike)):
            name = os.fspath(target).lower()
        # "scene.wc.xml" ends in the suffixes of several formats
        lengths = [_suffix_length(name, one.suffixes) for one in known]
        most = max(lengths, default=0)
        fitting = [known[lengths.index(most)]] if most else []
    if fitting:
        return _write(scene, target, fitting[0], context)
    if format_name is not None:
        wanted = repr(format_name)
    elif isinstance(target, (str, os.PathLike)):
        wanted = f"the name {os.fspath(target)!r}"
    else:
        wanted = "a file object without a format_name"
    raise ArgumentError(f"no scene format fits {wanted}; {_installed(known)}")


def _write(
    scene: SceneDescription,
    target: Target,
    chosen: SceneFormat,
    context: WriteContext,
) -> list[Problem]:
    losses: list[Problem] = []
    if context.srdf and not getattr(chosen, "writes_srdf", False):
        raise ArgumentError(
            f"srdf is asked for, but the format {chosen.name} has no SRDF next to it; "
            "save as URDF, or without"
        )
    if context.body:
        scene = _only(scene, context.body)
    scene, unwritable = without_failing(scene, check_writable)
    losses += [loss(f"{one}; it is left out") for one in unwritable]
    if context.embed_meshes:
        from pyrave.formats.meshes.embedded import with_embedded_meshes

        load = None if context.reading is None else context.reading.load_mesh
        if load is None:
            raise ArgumentError(
                "embed_meshes needs a reading context that loads meshes: set "
                "WriteContext.reading and its load_mesh"
            )
        scene, unread = with_embedded_meshes(scene, load)
        losses += unread
    return losses + chosen.write(scene, target, context)


def _only(scene: SceneDescription, name: str) -> SceneDescription:
    """Return a scene of one body and what drives it."""
    bodies = tuple(body for body in scene.bodies if body.name == name)
    if not bodies:
        raise NotFoundError("body", name, [body.name for body in scene.bodies])
    mine = tuple(item for item in scene.interfaces if item.robot == name)
    tied = tuple(
        one
        for one in scene.constraints
        if {one.parent.body, one.child.body} <= {name, ""}
    )
    return replace(
        scene,
        bodies=bodies,
        interfaces=mine,
        grabs=(),
        constraints=tied,
        ignored_pairs=(),
        simulation=scene.simulation.about({name, ""}),
    )


def _pick(source: SceneSource, offered: Iterable[SceneFormat]) -> SceneFormat:
    head = source.head
    part = what_is_no_scene(head, source.file)
    if part is not None:
        what, hint = part
        raise SceneError.refusal("no-scene", what, file=source.file, hint=hint)
    formats, postponed = [], []
    for candidate in offered:
        if is_postponed(candidate, source.file):
            postponed.append(candidate)
        elif candidate.sniff(head):
            return candidate
        formats.append(candidate)
    family = foreign_format(head, source.file)
    by_suffix = [f for f in formats if _has_suffix(source.file, f.suffixes)]
    if family is None and not by_suffix and source.file.startswith("<"):
        plain = [f for f in formats if ".xml" in f.suffixes]
        by_suffix = plain if is_xml(head) else []
    # some mesh formats have no mark, so for them the suffix decides
    if by_suffix and (family is None or family.endswith((" mesh", "(.zae)"))):
        return by_suffix[0]
    known = next((one for one in postponed if one.sniff(head)), None)
    if known is not None:
        return known
    what = f"{family} has no reader yet" if family else "the format is not recognised"
    raise SceneError.refusal(
        "no-reader",
        f"{what}: no installed plugin reads this file; {_installed(formats)}",
        file=source.file,
        hint="`pyrave plugins` lists installed formats",
    )


def _installed(formats: Sequence[SceneFormat]) -> str:
    names = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats)
    return f"installed formats: {names or 'none'}"


def _suffix_length(name: str, suffixes: Sequence[str]) -> int:
    """Return the length of the longest suffix that a name has, 0 if it has none."""
    return max((len(one) for one in suffixes if name.endswith(one)), default=0)


def _has_suffix(name: str, suffixes: Sequence[str]) -> bool:
    return name.lower().endswith(tuple(suffixes))
