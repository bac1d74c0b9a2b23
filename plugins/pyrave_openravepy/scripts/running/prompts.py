"""Questions of scripts to whoever sits before them, which end where the input does."""

from __future__ import annotations

import code
import sys
from collections.abc import Callable, Mapping
from types import FrameType, ModuleType
from typing import Any

__all__ = ["answered_eval", "embed_shell", "open_shell", "read_line", "shell_module"]

_MOST = 1000
"""Empty answers in a row, after which the end of the input is an error."""


class _Ends:
    """Number of questions after the end of the input."""

    def __init__(self) -> None:
        self.count = 0


_ends = _Ends()


def read_line(prompt: object = "") -> str:
    """Return a line of the input, ``""`` at its end.

    Raises
    ------
    EOFError
        A thousand questions in a row found the end: the script waits for an answer.
    """
    try:
        line = input(prompt)
    except EOFError:
        _ends.count += 1
        if _ends.count >= _MOST:
            _ends.count = 0  # another script of the process begins anew
            raise
        sys.stdout.write("\n")
        return ""
    except RuntimeError:  # there is no input at all
        return ""
    _ends.count = 0
    return line


def answered_eval(
    source: Any,
    names: dict[str, Any] | None = None,
    local: Mapping[str, Any] | None = None,
) -> Any:
    """Evaluate as `eval` does; nothing, as read at the end of the input, is None."""
    if source == "":
        return None
    if names is None:
        frame = sys._getframe(1)  # noqa: SLF001 - as eval itself does
        return eval(source, frame.f_globals, frame.f_locals)  # noqa: S307
    return eval(source, names, local)  # noqa: S307


def input_is_over() -> bool:
    """Return True if nobody will answer: the input is closed or at its end."""
    stream = sys.stdin
    if stream is None or stream.closed:
        return True
    if stream.isatty():
        return False
    peek = getattr(getattr(stream, "buffer", None), "peek", None)
    return peek is None or not peek(1)


def open_shell(names: Mapping[str, Any], header: str = "") -> None:
    """Let the user look around, with IPython if there is one.

    At the end of the input it returns at once.
    """
    if input_is_over():
        return
    try:
        from IPython.terminal.embed import InteractiveShellEmbed  # noqa: T100
    except ImportError:
        code.interact(banner=header, local=dict(names), exitmsg="")
        return
    module = ModuleType("__main__")
    shell: Callable[..., Any] = InteractiveShellEmbed.instance()
    shell(header=header, local_ns=dict(names), module=module)


def embed_shell(*_arguments: Any, header: str = "", **_options: Any) -> None:
    """Open a shell where a script calls ``IPython.embed``."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - as IPython does
    if frame is not None:
        open_shell({**frame.f_globals, **frame.f_locals}, str(header))


class _Shell:
    """A shell that scripts make first and call then."""

    def __init__(self, *_arguments: Any, **_options: Any) -> None: ...

    def __call__(self, header: str = "", *_arguments: Any, **_options: Any) -> None:
        """Open the shell with the names of the caller."""
        frame = sys._getframe(1)  # noqa: SLF001 - as IPython does
        open_shell({**frame.f_globals, **frame.f_locals}, str(header))


def shell_names() -> dict[str, Any]:
    """Return names that scripts call of IPython, of all its versions."""
    return {
        "embed": embed_shell,
        "IPShell": _Shell,
        "IPShellEmbed": _Shell,
        "InteractiveShellEmbed": _Shell,
    }


def shell_module(name: str) -> ModuleType:
    """Return a module of IPython that has nothing but its shells."""
    module = ModuleType(name, "Stands for IPython, which is not installed.")
    vars(module).update(shell_names())
    return module
