"""Unknown names in the settings of sensors, reported at loading."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pyrave import interfaces
from pyrave.environment.failures import failure_problem, problem_at
from pyrave.errors import PluginGuard, Problem, did_you_mean, shortened
from pyrave.scene import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyrave.interfaces.sensor import SensorBase, UnresolvedName
    from pyrave.scene import SceneDescription

_MAX_NAMES = 20


def unresolved_references(
    sensors: Iterable[tuple[SensorBase, Location | None]], scene: SceneDescription
) -> list[Problem]:
    """Return a warning for each name that a sensor does not find.

    What an environment does not have is nowhere. What the file of a robot alone does
    not have may be in the scene that the robot will be part of.

    Parameters
    ----------
    sensors
        Sensors of a scene of which everything is in the environment, and their places.
    scene
        What was read; of places where a reader said something nothing more is said.
    """
    problems: list[Problem] = []
    whole = scene.root == "environment"
    reported = {Location(p.file, p.line, p.column) for p in scene.problems if p.file}
    for sensor, location in sensors:
        found: tuple[UnresolvedName, ...] = ()
        with PluginGuard() as guard:
            found = tuple(map(_validated, sensor.unresolved_names()))
        if guard.error is not None:
            problems.append(
                failure_problem(
                    sensor,
                    "its unresolved_names() failed",
                    guard.error,
                    outcome="cannot say what it misses",
                    hint="fix or update the plugin",
                    location=location,
                )
            )
            continue
        missing = [
            one
            for one in found
            if (whole or not one.elsewhere) and one.location not in reported
        ]
        problems += _reported(_called(sensor), missing, location)
    return problems


def _reported(
    sensor: str, missing: list[UnresolvedName], location: Location | None
) -> Iterator[Problem]:
    """Yield a warning for each name, and one for all names after the first ones."""
    for one in missing[:_MAX_NAMES]:
        text = (
            f"{sensor} refers to unknown {one.kind} {one.name!r}"
            f"{did_you_mean(one.name, one.known)}"
        )
        hint = one.hint or _listed(one)
        where = one.location or location
        yield problem_at(where, shortened(text), code="unknown-reference", hint=hint)
    more = len(missing) - _MAX_NAMES
    if more > 0:
        text = f"{sensor} refers to {more} more unknown names"
        yield problem_at(location, shortened(text), code="unknown-reference")


def _validated(one: object) -> UnresolvedName:
    if not isinstance(one, interfaces.UnresolvedName):
        raise TypeError(f"it gave a {type(one).__name__}, expected UnresolvedName")
    return one


def _called(sensor: SensorBase) -> str:
    mounting = sensor.mounting
    if mounting is None:
        return f"sensor {sensor.name!r}"
    return f"sensor {mounting.name!r} of {mounting.robot.name!r}"


def _listed(missing: UnresolvedName) -> str:
    """Return the names that there are, as far as a line holds them."""
    more = len(missing.known) - _MAX_NAMES
    names = ", ".join(islice(missing.known, _MAX_NAMES)) or "none"
    return f"there are: {names}" + (f" and {more} more" if more > 0 else "")
