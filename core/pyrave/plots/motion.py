"""Plots of a run over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.plots.figure import new_plot, write_plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.spatial import Array

_MAX_LINES = 8
"""Largest number of bodies and joints that are drawn: those that move most."""


def plot_motion(
    values: Mapping[str, Array], bodies: Mapping[str, Sequence[str]], path: Path
) -> None:
    """Draw positions, joint values, energies and contacts over time to a file.

    Parameters
    ----------
    values
        As `pyrave.cli.motion.Motion` keeps them.
    bodies
        The names of their degrees of freedom, by their own.
    """
    panels = [panel for panel in _panels(values, bodies) if panel[1]]
    figure = new_plot(9, 2.6 * max(len(panels), 1))
    axes = np.atleast_1d(figure.subplots(max(len(panels), 1), sharex=True))
    for ax, (label, lines) in zip(axes, panels, strict=False):
        for name, line in lines.items():
            ax.plot(values["time"], line, label=name)
        ax.set_ylabel(label)
        ax.grid(alpha=0.3)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    if not panels:
        axes[0].set_title("nothing moves")
        axes[0].set_yticks([])
    axes[-1].set_xlabel("time (s)")
    write_plot(figure, path)


def _panels(
    values: Mapping[str, Array], bodies: Mapping[str, Sequence[str]]
) -> list[tuple[str, dict[str, Array]]]:
    """Return labels of the vertical axes, and the lines of each panel."""
    places: dict[str, Array] = {}
    joints: dict[str, Array] = {}
    for name, dofs in bodies.items():
        position = values[f"{name}/transform"][:, :3, 3]
        for axis, letter in enumerate("xyz"):
            places[f"{name} {letter}"] = position[:, axis]
        lines = values.get(f"{name}/dof_values", np.empty((0, 0))).T
        joints |= {f"{name} {dof}": line for dof, line in zip(dofs, lines, strict=True)}
    energies = {word: values[f"{word}_energy"] for word in ("kinetic", "potential")}
    energies["total"] = energies["kinetic"] + energies["potential"]
    contacts = {"sum of forces": values["contact_force"]}
    return [
        ("position (m)", _moving(places)),
        ("joints (rad, m)", _moving(joints)),
        ("energy (J)", _known(energies)),
        ("contact force (N)", _known(contacts)),
    ]


def _moving(lines: dict[str, Array]) -> dict[str, Array]:
    """Return the lines that change most."""
    spans = {name: _span(line) for name, line in lines.items()}
    chosen = sorted(spans, key=lambda name: -spans[name])[:_MAX_LINES]
    return {name: lines[name] for name in lines if name in chosen and spans[name] > 0}


def _known(lines: dict[str, Array]) -> dict[str, Array]:
    return {name: line for name, line in lines.items() if np.isfinite(line).any()}


def _span(line: Array) -> float:
    finite: Any = line[np.isfinite(line)]
    return float(np.ptp(finite)) if finite.size else 0.0
