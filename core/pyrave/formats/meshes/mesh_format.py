"""Interface of readers and writers of mesh files."""

# Paths stay text: they come from files and go into messages as written.
# ruff: noqa: PTH100, PTH113, PTH120, PTH202

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pyrave.errors import Problem, ResourceError, SceneError, Severity
from pyrave.files import read_file

if TYPE_CHECKING:
    from pyrave.formats.context import WriteContext
    from pyrave.formats.output.targets import Target
    from pyrave.geometry import Mesh

_MAX_BYTES = 512 * 1024 * 1024
_MAX_FILES = 1000
_MAX_DEPTH = 16
# of all images together, decoded: four of the largest
_MAX_PIXELS = 4 * 8192 * 8192


@dataclass(slots=True)
class _Budget:
    """Budget of a mesh and all files that it names: bytes, files, images, pixels."""

    bytes: int = _MAX_BYTES
    files: int = _MAX_FILES
    images: int = _MAX_FILES
    pixels: int = _MAX_PIXELS


@dataclass(frozen=True, slots=True)
class MeshSource:
    """The content of a mesh file, and the place where its problems go.

    Parameters
    ----------
    data
        The bytes of the file.
    file
        Absolute path, or a name such as ``<bytes>``.
    folder
        Where the files lie that it may name; None: it may name none.
    problems
        Warnings; errors are raised.
    y_up
        A reader whose format says which axis points up turns the mesh until it is y.
    """

    data: bytes
    file: str = "<bytes>"
    folder: str | None = None
    problems: list[Problem] = field(default_factory=list, compare=False)
    _above: tuple[str, ...] = field(default=(), repr=False)
    _budget: _Budget = field(default_factory=_Budget, compare=False, repr=False)
    y_up: bool = False

    @classmethod
    def open(cls, path: str, written: str = "", *, y_up: bool = False) -> MeshSource:
        """Return the content of a file.

        Parameters
        ----------
        written
            The name as a scene wrote it, for messages.

        Raises
        ------
        ResourceError
            There is no such file.
        SceneError
            It is too large or cannot be read.
        """
        if not os.path.isfile(path):
            raise ResourceError(written or path)
        path = os.path.abspath(path)
        return _read(path, cls(b"", path, os.path.dirname(path), y_up=y_up))

    def error(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
        code: str = "bad-mesh",
    ) -> SceneError:
        """Return an error about this file, to be raised.

        Parameters
        ----------
        line, column
            Counted from 1, for text.
        offset
            Bytes from the start of the file, for binary files.
        """
        return SceneError(
            self._problem(Severity.ERROR, message, (line, column), offset, hint, code)
        )

    def warn(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        offset: int | None = None,
        hint: str | None = None,
        code: str = "mesh-detail",
    ) -> None:
        """Report something that is passed over."""
        self.problems.append(
            self._problem(Severity.WARNING, message, (line, column), offset, hint, code)
        )

    def sibling(self, name: str) -> MeshSource:
        """Return the content of a file that this one names.

        It must lie in this file's folder or below, links resolved, so that a mesh
        leads nowhere that its scene was not allowed to go.

        Raises
        ------
        ResourceError
            It is not there, or lies elsewhere.
        SceneError
            It needs a network, files name each other in a circle, or there are too
            many.
        """
        from pyrave.formats.resolver import Resolver

        if self.folder is None:
            raise ResourceError(name, hint=f"{self.file} has no folder")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ResourceError(ascii(name), hint="no file has such a name") from None
        roots = Resolver((self.folder,), confine=True, use_environment=False)
        path = roots.resolve(name.replace("\\", "/"), self.folder)
        above = (*self._above, self.file)
        if path in above:
            raise self.error(
                f"it includes {path}, which includes it", code="include-cycle"
            )
        if len(above) > _MAX_DEPTH:
            raise self.error(f"files include each other over {_MAX_DEPTH} levels")
        return _read(
            path,
            MeshSource(b"", path, self.folder, self.problems, above, self._budget),
        )

    def count_image(self) -> None:
        """Count an image that the mesh names, there or not.

        Raises
        ------
        SceneError
            There are too many.
        """
        self._budget.images -= 1
        if self._budget.images < 0:
            raise self.error(
                f"the mesh names more than {_MAX_FILES} images",
                code="too-many-inclusions",
            )

    def spend_pixels(self, pixels: int) -> None:
        """Count what an image will take when it is decoded.

        Raises
        ------
        SceneError
            All images of the mesh together are too large.
        """
        if pixels > self._budget.pixels:
            raise self.error(
                f"the images of the mesh have more than {_MAX_PIXELS} pixels together"
            )
        self._budget.pixels -= pixels

    def _problem(
        self,
        severity: Severity,
        message: str,
        place: tuple[int | None, int | None],
        offset: int | None,
        hint: str | None,
        code: str,
    ) -> Problem:
        if offset is not None:
            message = f"{message} (byte {offset})"
        line, column = place
        return Problem(
            severity,
            message,
            file=self.file,
            line=line,
            column=column,
            hint=hint,
            code=code,
        )


def _read(path: str, source: MeshSource) -> MeshSource:
    """Return `source` with the content of the file, counted against its budget."""
    from dataclasses import replace

    budget = source._budget  # noqa: SLF001 - the maker of the class
    budget.files -= 1
    if budget.files < 0:
        raise source.error(
            f"the mesh reads more than {_MAX_FILES} files", code="too-many-inclusions"
        )
    try:
        size = os.path.getsize(path)
        if size <= budget.bytes:
            data = read_file(path, budget.bytes)
            size = len(data)
        if size > budget.bytes:
            raise source.error(
                f"the mesh has more than {_MAX_BYTES} bytes", code="file-too-large"
            )
        budget.bytes -= size
        return replace(source, data=data)
    except OSError as error:
        raise source.error(f"it cannot be read: {error}") from error


@runtime_checkable
class MeshFormat(Protocol):
    """A mesh file format; plugins offer them with ``pyrave_mesh_formats``.

    Its files can be loaded as scenes too, unless it has an attribute ``is_scene`` that
    is False.
    """

    @property
    def name(self) -> str:
        """Name of the format."""

    @property
    def suffixes(self) -> Sequence[str]:
        """Suffixes of its files, lower case with the dot."""

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""

    def read(self, source: MeshSource) -> Mesh:
        """Return all triangles of a file in metres, with their materials.

        Raises
        ------
        SceneError
            From ``source.error``, with the line or the byte.
        """


@runtime_checkable
class WritableMeshFormat(MeshFormat, Protocol):
    """A mesh format that writes too."""

    def write(
        self,
        mesh: Mesh,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write a mesh to a path or a binary file; return what could not be said."""
