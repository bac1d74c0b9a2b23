"""Figures without windows, which notebooks show and files keep."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path

from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from pyrave.errors import ArgumentError, shown
from pyrave.files import replaced_file
from pyrave.plots import PLOT_ENDINGS
from pyrave.texts import printable

_DPI = 120


class Plot(Figure):
    """A figure of matplotlib that belongs to no window; notebooks show it."""

    def draw(self, renderer: RendererBase) -> None:
        """Draw it; what does not print in a text is escaped."""
        for text in self.findobj(Text):
            assert isinstance(text, Text)  # noqa: S101 - it was asked for
            if not text.get_text().isprintable():
                text.set_text(printable(text.get_text()))
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=_DPI)
        return stream.getvalue()


def new_plot(width: float, height: float) -> Plot:
    """Return an empty plot of a size in inches."""
    plot = Plot(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(plot)
    return plot


def write_plot(plot: Plot, path: str | PathLike[str] | None) -> Plot:
    """Write a plot to a file, unless there is no path, and return it.

    Raises
    ------
    ArgumentError
        The name has another ending than `PLOT_ENDINGS`, or the file cannot be
        written.
    """
    if path is None:
        return plot
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"path is {shown(path)}, expected a path")
    target = Path(path)
    if target.suffix.lower() not in PLOT_ENDINGS:
        raise ArgumentError(
            f"path is {target.name!r}, expected a name in {', '.join(PLOT_ENDINGS)}"
        )
    try:
        with replaced_file(target) as partial:
            plot.savefig(partial, dpi=_DPI)
    except OSError as error:
        reason = error.strerror or error
        raise ArgumentError(f"{target} cannot be written: {reason}") from error
    return plot
