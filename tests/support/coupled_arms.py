"""Arms where joints follow others, written as OpenRAVE XML."""

from __future__ import annotations

from dataclasses import dataclass

import pyrave

WIDE = (-99.0, 99.0)


@dataclass(frozen=True)
class Axis:
    """A joint of a test arm, its axis and its place after the one before."""

    name: str
    axis: str
    place: tuple[float, float, float]
    limits: tuple[float, float] = (-2.9, 2.9)
    formula: str = ""
    slides: bool = False
    circular: bool = False


def robot(axes, *, cranks=(), turning=(), hand="0 0 0.1", direction="0 0 1", solver=""):
    """Return an environment and the arm of a robot with the axes.

    `cranks` are (name, body that they are on, limits): joints beside the arm, circular
    those that `turning` names.
    """
    xml = '<robot name="r"><kinbody><body name="l0" type="dynamic"/>'
    for i, one in enumerate(axes):
        follows = f'enable="false" mimic_pos="{one.formula}"' if one.formula else ""
        follows += ' circular="true"' if one.circular else ""
        kind, unit = ("slider", "limits") if one.slides else ("hinge", "limitsrad")
        place = " ".join(map(str, one.place))
        xml += (
            f'<body name="l{i + 1}" type="dynamic"><offsetfrom>l{i}</offsetfrom>'
            f"<translation>{place}</translation></body>"
            f'<joint name="{one.name}" type="{kind}" {follows}>'
            f"<body>l{i}</body><body>l{i + 1}</body><offsetfrom>l{i + 1}</offsetfrom>"
            f"<axis>{one.axis}</axis>"
            f"<{unit}>{one.limits[0]} {one.limits[1]}</{unit}></joint>"
        )
    for name, body, limits in cranks:
        circular = 'circular="true"' if name in turning else ""
        xml += (
            f'<body name="body_{name}" type="dynamic"/>'
            f'<joint name="{name}" type="hinge" {circular}><body>{body}</body>'
            f"<body>body_{name}</body><axis>0 0 1</axis>"
            f"<limitsrad>{limits[0]} {limits[1]}</limitsrad></joint>"
        )
    xml += (
        '</kinbody><manipulator name="m"><base>l0</base>'
        f"<effector>l{len(axes)}</effector><translation>{hand}</translation>"
        f"<direction>{direction}</direction>{solver}</manipulator></robot>"
    )
    env = pyrave.Environment()
    env.load_string(f"<environment>{xml}</environment>")
    return env, env.robots[0].manipulators[0]


BASE = (
    Axis("j1", "0 0 1", (0, 0, 0.5)),
    Axis("j2", "0 1 0", (0.2, 0, 0)),
)
WRIST = (
    Axis("j4", "1 0 0", (0.4, 0, 0)),
    Axis("j5", "0 1 0", (0.2, 0, 0)),
    Axis("j6", "1 0 0", (0, 0, 0)),
)
ELBOW = Axis("j3", "0 1 0", (0, 0, 0.7))


def follower(name, axis, place, formula, **settings):
    return Axis(name, axis, place, settings.pop("limits", WIDE), formula, **settings)
