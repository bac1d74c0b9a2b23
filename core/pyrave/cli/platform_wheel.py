"""Wheels for one platform: the pure wheel, with the machine code of all kernels."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import sysconfig
import zipfile
from collections.abc import Iterable
from pathlib import Path

from pyrave.errors import ArgumentError, StateError
from pyrave.jit.brought_code import BROUGHT, LEVELS, MANIFEST, manifest_text
from pyrave.jit.cache_entries import SUFFIX, DamagedError

__all__ = ["HOST", "check_wheel", "compile_for", "make_platform_wheel"]

HOST = "host"
"""The level that is this very processor."""
_PURE = "-py3-none-any.whl"


def compile_for(level: str) -> None:
    """Have this process and those that it starts compile for a processor level.

    Raises
    ------
    ArgumentError
        No level has that name.
    """
    if level == HOST:
        return
    if level not in LEVELS:
        raise ArgumentError(
            f"no processor level is named {level!r}; the names are "
            f"{', '.join([*LEVELS, HOST])}"
        )
    os.environ["NUMBA_CPU_NAME"] = level
    os.environ["NUMBA_CPU_FEATURES"] = LEVELS[level]


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel that is not the pure one of the pyrave that is running.

    Raises
    ------
    ArgumentError
        It is another file, or its modules are not those that are installed.
    """
    if not wheel.name.endswith(_PURE) or not wheel.is_file():
        raise ArgumentError(f"{wheel} is no file that ends with {_PURE}")
    home = Path(__file__).parents[2]
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.startswith("pyrave/") or not name.endswith(".py"):
                continue
            here = home / name
            if not here.is_file() or here.read_bytes() != archive.read(name):
                raise ArgumentError(
                    f"{name} in {wheel} is not that of the pyrave that is running, in "
                    f"{home}: build the wheel of this one, or install that wheel"
                )


def make_platform_wheel(wheel: Path, code: Path, contents: Iterable[str]) -> Path:
    """Write a wheel with machine code beside a pure one.

    It has what was compiled for the processors that this process compiles for.

    Parameters
    ----------
    wheel
        The pure wheel, which stays.
    code
        A cache folder of compiled kernels.
    contents
        The folders in it that the kernels of the wheel have.

    Returns
    -------
    Path
        Named for this version of Python and this platform.

    Raises
    ------
    StateError
        Machine code is not what was written.
    """
    from pyrave.jit.numba_internals import compiled_processor, processor_of

    processor = compiled_processor()
    added = {f"{BROUGHT}/{MANIFEST}": manifest_text(*processor).encode()}
    for content in sorted(contents):
        for path in sorted((code / content).glob(f"*{SUFFIX}")):
            try:
                fits = processor_of(path) == processor
            except DamagedError as error:
                raise StateError(
                    f"{path} is no machine code that pyrave wrote: {error}; remove it, "
                    "and make the wheel again"
                ) from error
            if fits:
                added[f"{BROUGHT}/{content}/{path.name}"] = path.read_bytes()
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}-none-{_platform()}"
    made = wheel.with_name(f"{wheel.name.removesuffix(_PURE)}-{tag}.whl")
    part = made.with_suffix(".part")
    try:
        with (
            zipfile.ZipFile(wheel) as pure,
            zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out,
        ):
            _write_members(pure, out, added, tag)
        part.replace(made)
    finally:
        part.unlink(missing_ok=True)
    return made


def _write_members(
    pure: zipfile.ZipFile, out: zipfile.ZipFile, added: dict[str, bytes], tag: str
) -> None:
    record = next(name for name in pure.namelist() if name.endswith("info/RECORD"))
    lines = []
    for name in pure.namelist():
        content = pure.read(name)
        if name == record:
            continue
        if name.endswith("info/WHEEL"):
            content = _tagged(content.decode(), tag).encode()
        out.writestr(pure.getinfo(name), content, zipfile.ZIP_DEFLATED)
        lines.append(_record_line(name, content))
    for name, content in added.items():
        # the same files make the same wheel
        out.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        lines.append(_record_line(name, content))
    out.writestr(pure.getinfo(record), "\n".join([*lines, f"{record},,", ""]))


def _tagged(text: str, tag: str) -> str:
    changed = {"Root-Is-Purelib": "false", "Tag": tag}
    lines = []
    for line in text.splitlines():
        key = line.partition(":")[0]
        lines.append(f"{key}: {changed[key]}" if key in changed else line)
    return "\n".join([*lines, ""])


def _record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
    return f"{name},sha256={digest.decode()},{len(content)}"


def _platform() -> str:
    """Return the tag of this platform.

    Machine code of kernels calls no system library but what numba brings, so on Linux
    it is as old as numba's own wheels.
    """
    if sys.platform == "linux":
        return f"manylinux_2_17_{os.uname().machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
