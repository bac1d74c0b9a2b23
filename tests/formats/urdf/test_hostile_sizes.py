"""URDF and SRDF of very many elements are read in time proportional to them.

Each text is made so that quadratic work in its size would take half a minute.
"""

from __future__ import annotations

import time

import pytest

import pyrave

SECONDS = 30.0
N = 30_000
BALL = "<geometry><sphere radius='1'/></geometry>"
LINKS = (
    "<link name='b'/><joint name='j' type='continuous'><parent link='a'/>"
    "<child link='b'/></joint>"
)


def times(text):
    """Repeat a text with numbers in the place of ``#``."""
    return "".join(text.replace("#", str(i)) for i in range(N))


SIZES = {
    "visuals like collisions of other names": (
        times(f"<visual name='v#'>{BALL}</visual>")
        + times(f"<collision name='c#'>{BALL}</collision>"),
        "",
    ),
    "visuals like collisions": (
        times(f"<visual>{BALL}</visual>")
        + times(f"<collision name='c#'>{BALL}</collision>"),
        "",
    ),
    "groups in circles": (
        "",
        f"<group name='h'/><group name='g'>{times('<group name=`h`/>')}"
        f"{times('<group name=`g`/>')}</group>".replace("`", "'"),
    ),
    "hands that are no groups": (
        "",
        times("<group name='g#'><chain base_link='a' tip_link='b'/></group>")
        + times("<end_effector name='e#' parent_link='b' group='h'/>"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SIZES)
def test_much_is_read(what, tmp_path):
    parts, groups = SIZES[what]
    robot = f"<robot name='r'><link name='a'>{parts}</link>{LINKS}</robot>"
    (tmp_path / "r.urdf").write_text(robot)
    (tmp_path / "r.srdf").write_text(f"<robot name='r'>{groups}</robot>")
    start = time.process_time()
    assert pyrave.read(tmp_path / "r.urdf").bodies
    assert time.process_time() - start < SECONDS
