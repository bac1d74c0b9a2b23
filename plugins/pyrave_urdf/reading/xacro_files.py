"""xacro: macros that are expanded by running what the file says, if that is allowed."""

from __future__ import annotations

import re
import threading
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from pyrave.errors import SceneError
from pyrave_urdf.packages import Packages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats import ReadContext, SceneSource

_ONE_AT_A_TIME = threading.Lock()
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
# what xacro says, and where that stands in the file
_NAMED = (
    (re.compile(r"evaluating expression '(.*?)'(?: when|$)"), "${{{}}}"),
    (re.compile(r"unknown macro name: ([\w.:-]+)"), "<{}"),
    (re.compile(r"Undefined substitution argument ([\w.-]+)"), "$(arg {})"),
    (re.compile(r"No such file or directory: ([^\s\[]+)"), "{}"),
)


def is_xacro(source: SceneSource) -> bool:
    """Return True if a file holds elements of xacro, or is called so.

    Files that xacro wrote often declare its namespace still, and comments of theirs
    tell where they come from.
    """
    data = source.data
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if is_called_xacro(source):
        return b"xacro" in data or b"${" in data or b"$(" in data
    return b"<xacro:" in data and b"<xacro:" in _COMMENT.sub(b"", data)


def is_called_xacro(source: SceneSource) -> bool:
    """Return True if a file says by its name that it has to be expanded.

    In files of other names, and in texts, what cannot be expanded is left over from
    their making.
    """
    return source.file.lower().endswith(".xacro")


class _Arguments(dict[str, str]):
    """Arguments that note which names xacro asks for: those that files declare."""

    def __init__(self, given: Mapping[str, str]) -> None:
        super().__init__(given)
        self.asked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(str(name))
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def expanded(source: SceneSource, context: ReadContext) -> str:
    """Return the URDF that a xacro file makes.

    Relative names of includes start from the folder of the file, and packages are found
    as those of meshes are.

    Raises
    ------
    SceneError
        Code may not run, the library is not installed, or the file is wrong. Code
        never runs where files are confined.
    """
    if not context.allow_code:
        raise _refusal(
            source,
            "code-refused",
            "this is xacro, which runs Python expressions of the file",
            "if you trust it, load it with allow_code=True (--allow-code); or expand "
            "it before: xacrodoc FILE -o robot.urdf",
        )
    if context.resolver.confine:
        raise _refusal(
            source,
            "code-refused",
            "this is xacro: what it runs reads any file, which confine=True forbids",
            "expand it before, in a process that may read nothing else: xacrodoc FILE "
            "-o robot.urdf",
        )
    try:
        import xacrodoc  # noqa: F401 - whether it is installed
    except ImportError as error:
        raise _refusal(
            source,
            "missing-library",
            "xacro needs a library that is not installed",
            "pip install 'pyrave[xacro]'",
        ) from error
    arguments = _Arguments(context.arguments)
    try:
        with _ONE_AT_A_TIME:
            return _expand(source, arguments, Packages(context, source.folder))
    except (KeyboardInterrupt, SceneError):
        raise
    except BaseException as error:  # the file's own code may raise anything
        said = " ".join(str(error).split())
        raise _refusal(
            source,
            "bad-xacro",
            f"xacro cannot expand the file: {type(error).__name__}: {said}",
            "arguments are given as name:=value, packages with package_dirs "
            "(--package-dir)",
            _place(said, source),
        ) from error
    finally:
        context.asked_arguments |= arguments.asked


def _expand(source: SceneSource, arguments: _Arguments, search: Packages) -> str:
    """Return the text that the macros make; xacro's state belongs to the process."""
    import xacro
    from xacrodoc import packages

    find_elsewhere = packages.get_path

    missing = ""

    def find(package: str) -> str:
        nonlocal missing
        found = search.folder(package)
        if found is None:
            missing = package
            found = str(find_elsewhere(package))
            missing = ""
        return found

    path = None
    packages.reset()
    if source.folder is not None:
        path = str(Path(source.folder, Path(source.file).name))
    xacro.init_stacks(path)  # relative names of includes start there
    packages.get_path = find  # what $(find NAME) calls
    try:
        made = xacro.parse(BytesIO(source.content))  # in the encoding it declares
        # once, as ROS does: what stands for ${ itself is not expanded again
        xacro.process_doc(made, mappings=arguments)
        return str(made.toprettyxml(indent="  "))
    except Exception as error:
        if not missing:
            raise
        raise _refusal(
            source,
            "bad-xacro",
            f"there is no package {missing!r}, which xacro is to find",
            "name the folder that holds it in package_dirs (--package-dir), or set "
            "ROS_PACKAGE_PATH",
            _place_of(f"$(find {missing})", source),
        ) from error
    finally:
        packages.get_path = find_elsewhere
        packages.reset()


def _refusal(
    source: SceneSource,
    code: str,
    message: str,
    hint: str,
    place: tuple[int | None, int | None] = (None, None),
) -> SceneError:
    line, column = place
    return SceneError.refusal(
        code, message, file=source.file, line=line, column=column, hint=hint
    )


def _place(said: str, source: SceneSource) -> tuple[int | None, int | None]:
    """Return line and column of what xacro complains about, if the file has it.

    xacro knows neither, but names the expression, the macro, the argument or the file.
    """
    for pattern, words in _NAMED:
        found = pattern.search(said)
        if found is not None:
            # files are named with the folders where they were looked for
            named = found[1].rpartition("/")[2] if words == "{}" else found[1]
            return _place_of(words.format(named), source)
    return None, None


def _place_of(words: str, source: SceneSource) -> tuple[int | None, int | None]:
    text = source.data
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    at = text.find(words)
    if at < 0:
        return None, None
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
