"""Machine code that came with the installed package, for processors of one level.

A wheel for a platform has it beside the source (``machine_code``), with a manifest that
says what made it. It is read where that fits; elsewhere kernels are compiled. What is
compiled for this very processor goes before it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = [
    "BROUGHT",
    "LEVELS",
    "MANIFEST",
    "BroughtCode",
    "manifest_text",
    "read_brought_code",
]

LEVELS = {
    "x86-64-v3": (
        "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse3,"
        "+sse4.1,+sse4.2,+ssse3,+xsave"
    ),
}
"""LLVM's features of the processor levels that machine code is made for."""
BROUGHT = "pyrave/jit/machine_code"
"""The folder in a wheel."""
MANIFEST = "manifest.json"
_FOLDER = Path(__file__).with_name("machine_code")


@dataclass(frozen=True, slots=True)
class BroughtCode:
    """Machine code of a package that this process can run.

    Parameters
    ----------
    folder
        Its folders of kernels, named as in the user's cache.
    processor
        LLVM's target, name of the processor level, and its features.
    """

    folder: Path
    processor: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Maker:
    """Versions and target that machine code depends on."""

    python: str
    numba: str
    llvmlite: str
    target: str
    level: str
    features: str


def read_brought_code(target: str, features: Mapping[str, bool]) -> BroughtCode | str:
    """Return the machine code of the package, or the reason why there is none.

    Parameters
    ----------
    target
        LLVM's target of this process.
    features
        The features that this processor has, by LLVM's names.
    """
    try:
        text = (_FOLDER / MANIFEST).read_text("utf-8")
        made = _Maker(**json.loads(text))
    except FileNotFoundError:
        return "the package brought none"
    except (OSError, ValueError, TypeError) as error:
        return f"{_FOLDER / MANIFEST} cannot be read: {error}"
    here = asdict(_maker(target, made.level, made.features))
    for name, value in asdict(made).items():
        if here[name] != value:
            return f"it is for {name} {value}, and this is {here[name]}"
    needed = [one[1:] for one in made.features.split(",") if one.startswith("+")]
    missing = [name for name in needed if not features.get(name)]
    if missing:
        return f"this processor is below {made.level}: it has no {', '.join(missing)}"
    return BroughtCode(_FOLDER, (made.target, made.level, made.features))


def manifest_text(target: str, level: str, features: str) -> str:
    """Return the manifest of machine code that this Python made for processors."""
    return json.dumps(asdict(_maker(target, level, features)), indent=1) + "\n"


def _maker(target: str, level: str, features: str) -> _Maker:
    # who asks has them; to read the versions of their installation takes longer
    import llvmlite
    import numba

    return _Maker(
        python=sys.implementation.cache_tag or "",
        numba=numba.__version__,
        llvmlite=llvmlite.__version__,
        target=target,
        level=level,
        features=features,
    )
