"""Joint values and named states that a command line gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.kinematics import LimitCheck

if TYPE_CHECKING:
    from pyrave.environment import Environment


def set_joints(
    env: Environment,
    words: tuple[str, ...],
    limits: LimitCheck = LimitCheck.CLAMP_AND_WARN,
) -> None:
    """Set joints as ``joint=0.5`` or ``body/joint=0.5`` says, radians or metres.

    Raises
    ------
    ArgumentError
        A word is something else, several bodies have such a joint, or the value is
        refused.
    NotFoundError
        No joint of that name has one degree of freedom.
    """
    from pyrave.errors import ArgumentError, NotFoundError

    for word in words:
        place, equals, number = word.partition("=")
        body_name, slash, joint_name = place.rpartition("/")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or not math.isfinite(value):
            raise ArgumentError(f"--set is {word!r}, expected JOINT=NUMBER")
        bodies = [env.bodies[body_name]] if slash else list(env.bodies)
        found = [
            (body, joint)
            for body in bodies
            for joint in body.joints
            if joint.name == joint_name and joint.dof == 1
        ]
        if not found:
            known = [joint.name for body in bodies for joint in body.joints]
            raise NotFoundError("joint with one degree of freedom", joint_name, known)
        if len(found) > 1:
            raise ArgumentError(
                f"{len(found)} bodies have a joint {joint_name!r}; name one as in "
                f"--set {found[0][0].name}/{word}"
            )
        body, joint = found[0]
        body.set_dof_values([value], [joint.dof_index], limits)


def set_states(env: Environment, words: tuple[str, ...]) -> None:
    """Set robots to named states, as ``ready`` or ``robot/ready`` says.

    A name without a robot is meant for each robot that has it.

    Raises
    ------
    NotFoundError
        No robot has it.
    """
    from pyrave.errors import NotFoundError

    for word in words:
        having = [robot for robot in env.robots if word in robot.configurations]
        for robot in having:
            robot.set_state(word)
        if having:
            continue
        name, slash, state = word.partition("/")
        if slash:
            env.robots[name].set_state(state)
            continue
        known = {one for robot in env.robots for one in robot.configurations}
        raise NotFoundError("state of a robot", word, sorted(known))
