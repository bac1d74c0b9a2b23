"""Options of the command line for the whole run of a script."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RunOptions", "run_options", "set_run_options"]


@dataclass(frozen=True)
class RunOptions:
    """Options that every environment of a script begins with.

    Parameters
    ----------
    test_mode
        No thread simulates and no viewer opens, so that scripts end by themselves.
    viewer, collision, physics
        Ids in place of what the script asks for, ``""`` for none.
    """

    test_mode: bool = False
    viewer: str = ""
    collision: str = ""
    physics: str = ""


class _Chosen:
    """The options of this process."""

    def __init__(self) -> None:
        self.options = RunOptions()


_chosen = _Chosen()


def run_options() -> RunOptions:
    """Return the options of the run."""
    return _chosen.options


def set_run_options(options: RunOptions) -> None:
    """Set the options of the run, before the script begins."""
    _chosen.options = options
