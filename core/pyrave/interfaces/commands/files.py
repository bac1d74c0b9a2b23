"""Files that commands may open when callers are not trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class FileAccess(Protocol):
    """Policy for the files that commands may open when callers are not trusted."""

    def to_read(self, name: str) -> str:
        """Return the file that a caller may read by a name; else raise an `Error`."""

    def to_write(self, name: str) -> str:
        """Return the file that a caller may write by a name; else raise an `Error`."""


_access: ContextVar[FileAccess | None] = ContextVar("file access", default=None)


@contextmanager
def file_access(access: FileAccess) -> Iterator[None]:
    """Let commands open only the files that `access` grants, within the block.

    It is asked for the arguments that a command declares as files. Servers use it for
    what their clients send.
    """
    token = _access.set(access)
    try:
        yield
    finally:
        _access.reset(token)


def present_access() -> FileAccess | None:
    """Return the policy in force, None without one."""
    return _access.get()


def granted(value: Any, grant: Callable[[str], str]) -> Any:
    """Return a file, or files, by the names that a caller gave."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return type(value)(grant(str(one)) for one in value)
    return grant(str(value))
