"""Options that several commands share, and the session that they set up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from pyrave.environment import Environment, LoadReport

__all__ = ["LoadingOptions", "Session", "session"]


@dataclass
class Session:
    """What the options before every command say; one a process."""

    verbosity: int = 0

    @property
    def trace(self) -> bool:
        """Whether tracebacks are shown."""
        return self.verbosity >= 2


session = Session()


@Parameter(name="*")
@dataclass(frozen=True)
class LoadingOptions:
    """How scene files are found.

    Parameters
    ----------
    resource_root
        Folder in which relative file names are looked up; may be repeated.
    confine
        Refuse files that are not below a resource root, links resolved.
    """

    resource_root: Annotated[
        tuple[Path, ...], Parameter(negative="", show_default=False)
    ] = ()
    confine: Annotated[bool, Parameter(negative="", show_default=False)] = False

    @property
    def keywords(self) -> dict[str, Any]:
        """The options as keyword arguments of ``Environment.load``."""
        return {"resource_roots": self.resource_root, "confine": self.confine}

    def load(
        self, source: Path, *, strict: bool = False
    ) -> tuple[Environment, LoadReport]:
        """Load a scene into a new environment."""
        from pyrave.environment import Environment

        env = Environment()
        return env, env.load(source, strict=strict, **self.keywords)
