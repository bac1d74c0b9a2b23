"""Write the arms as scene files: ``python -m pyrave_environments.arms``."""

from __future__ import annotations

import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

import pyrave
from pyrave.bodies import Robot
from pyrave_environments import root
from pyrave_environments.arms import ARMS, Arm, arm_description

__all__ = ["text_of"]


def text_of(arm: Arm) -> str:
    """Return the file of an arm: the robot alone, to be named by any scene."""
    env = pyrave.Environment()
    robot = Robot(env)
    robot.init(arm_description(arm))
    env.add(robot)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "arm.env.xml"
        env.save(path)
        text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("<environment>\n")
    body, _, _ = rest.rpartition("</environment>")
    comment = f"<!-- {arm.title}; dimensions: {arm.source}. -->\n"
    return head + comment + textwrap.dedent(body)


def main() -> None:
    """Write every arm below ``robots/arms``."""
    folder = root() / "robots" / "arms"
    folder.mkdir(exist_ok=True)
    for arm in ARMS:
        path = folder / f"{arm.name}.robot.xml"
        path.write_text(text_of(arm), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
