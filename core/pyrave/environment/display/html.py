"""Cards of environments and load reports for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.cards import card, counted, listed, picture, problem_table
from pyrave.errors import Error, count_problems
from pyrave.geometry import encode_png

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.environment.environment import Environment
    from pyrave.environment.files.loader import LoadReport

_SIZE = (480, 360)


def environment_card(env: Environment) -> str:
    """Return an environment's contents, its problems and a small picture as HTML."""
    facts = {
        "bodies": _names(env.bodies.names),
        "robots": listed(
            f"{one.name} ({counted(one.dof, 'joint value')})" for one in env.robots
        ),
        "sensors": listed(env.sensors.names),
        "modules": listed(env.modules.names),
        "time": f"{env.simulation_time:.6f} s",
        "problems": count_problems(env.problems) if env.problems else "none",
    }
    parts = [problem_table(env.problems)] if env.problems else []
    if any(len(one.links) > 1 or _has_shape(one) for one in env.bodies):
        try:
            parts.append(picture(encode_png(env.picture(size=_SIZE)), repr(env)))
        except Error as error:
            facts["picture"] = f"there is none: {error}"
    return card("Environment", facts, *parts)


def load_card(report: LoadReport) -> str:
    """Return the items that a load added, and its problems, as HTML."""
    facts = {
        "file": report.scene.uri,
        "bodies": _names([body.name for body in report.bodies]),
        "interfaces": listed(repr(one) for one in report.interfaces),
        "problems": count_problems(report.problems) if report.problems else "none",
    }
    parts = [problem_table(report.problems)] if report.problems else []
    return card("LoadReport", facts, *parts)


def _has_shape(body: KinBody) -> bool:
    return any(shape.visible for link in body.links for shape in link.geometries)


def _names(names: list[str] | tuple[str, ...]) -> str:
    return f"{len(names)}: {listed(names)}" if names else "none"
