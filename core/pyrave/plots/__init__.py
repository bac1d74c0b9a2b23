"""Plots, drawn by matplotlib, which the extra ``plot`` brings."""

from __future__ import annotations

from pyrave.errors import NotSupportedError

PLOT_ENDINGS = (".png", ".jpg", ".jpeg", ".svg", ".pdf")
"""Suffixes of the files to which plots are written."""


def require_matplotlib(what: str = "a plot") -> None:
    """Check that there is what draws plots.

    Raises
    ------
    NotSupportedError
        There is not.
    """
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise NotSupportedError(
            f"{what} needs matplotlib: pip install 'pyrave[plot]' ({error})"
        ) from error
