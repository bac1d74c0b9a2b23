"""Arms as OpenRAVE XML, from Denavit-Hartenberg rows or from screws of any kind."""

import numpy as np

from pyrave.spatial import matrix_from_axis_angle

CIRCULAR = ' circular="true"'
QUARTER = np.pi / 2
# a, alpha, d, theta
PUMA = (
    (0, QUARTER, 0, 0),
    (0.4318, 0, 0, 0),
    (0.0203, -QUARTER, 0.15, 0),
    (0, QUARTER, 0.4318, 0),
    (0, -QUARTER, 0, 0),
    (0, 0, 0.05, 0),
)
UR5 = (
    (0, QUARTER, 0.0892, 0),
    (-0.425, 0, 0, 0),
    (-0.39225, 0, 0, 0),
    (0, QUARTER, 0.10915, 0),
    (0, -QUARTER, 0.09465, 0),
    (0, 0, 0.0823, 0),
)
WAM = (
    (0, -QUARTER, 0, 0),
    (0, QUARTER, 0, 0),
    (0.045, -QUARTER, 0.55, 0),
    (-0.045, QUARTER, 0, 0),
    (0, -QUARTER, 0.3, 0),
    (0, QUARTER, 0, 0),
    (0, 0, 0.06, 0),
)
KUKA = (  # shoulder and wrist are spherical, nothing is offset
    (0, -QUARTER, 0.34, 0),
    (0, QUARTER, 0, 0),
    (0, QUARTER, 0.4, 0),
    (0, -QUARTER, 0, 0),
    (0, -QUARTER, 0.4, 0),
    (0, QUARTER, 0, 0),
    (0, 0, 0.126, 0),
)


def screws_of(rows):
    """Return axes (n, 3), points (n, 3) and the tool's pose (4, 4) at zero."""
    pose = np.eye(4)
    axes, points = [], []
    for a, alpha, d, theta in rows:
        axes.append(pose[:3, 2].copy())
        points.append(pose[:3, 3].copy())
        turn = np.eye(4)
        turn[:3, :3] = matrix_from_axis_angle((0, 0, 1), theta)
        turn[2, 3] = d
        twist = np.eye(4)
        twist[:3, :3] = matrix_from_axis_angle((1, 0, 0), alpha)
        twist[0, 3] = a
        pose = pose @ turn @ twist
    return np.array(axes), np.array(points), pose


def arm_xml(
    axes, points, home, *, kinds="", limits=(-3.0, 3.0), circular=(), solver="", more=""
):
    """Return a robot ``arm`` with links l0, l1, ..., joints j0, ... and a hand.

    Parameters
    ----------
    kinds
        R or P per joint; empty: all turn.
    limits
        One pair, or one pair per joint.
    circular
        Numbers of joints that turn without end.
    solver
        Text of ``<iksolver>``.
    more
        More elements of the kinbody.
    """
    n = len(axes)
    kinds = kinds or "R" * n
    pairs = [limits] * n if np.ndim(limits) == 1 else limits
    parts = ['<body name="l0" type="dynamic"/>']
    for i, (axis, point) in enumerate(zip(axes, points, strict=True)):
        slides = kinds[i] == "P"
        lower, upper = pairs[i]
        tag = "limits" if slides else "limitsrad"
        range_ = "" if i in circular else f"<{tag}>{lower!r} {upper!r}</{tag}>"
        parts.append(
            f'<body name="l{i + 1}" type="dynamic"/>'
            f'<joint name="j{i}" type="{"slider" if slides else "hinge"}"'
            f"{CIRCULAR if i in circular else ''}>"
            f"<body>l{i}</body><body>l{i + 1}</body>"
            f"<anchor>{_words(point)}</anchor><axis>{_words(axis)}</axis>{range_}"
            "</joint>"
        )
    ik = f"<iksolver>{solver}</iksolver>" if solver else ""
    return (
        f'<robot name="arm"><kinbody>{"".join(parts)}{more}</kinbody>'
        f'<manipulator name="hand"><base>l0</base><effector>l{n}</effector>'
        f"<translation>{_words(home[:3, 3])}</translation>"
        f"<rotationmat>{_words(home[:3, :3].ravel())}</rotationmat>{ik}"
        "</manipulator></robot>"
    )


def random_screws(rng, n, scale=0.5):
    """Return axes, points and a tool pose in no special position."""
    axes = rng.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    turn = rng.normal(size=3)
    home = np.eye(4)
    home[:3, :3] = matrix_from_axis_angle(turn / np.linalg.norm(turn), 1.1)
    home[:3, 3] = rng.normal(size=3) * scale
    return axes, rng.normal(size=(n, 3)) * scale, home


def _words(values):
    return " ".join(repr(float(x)) for x in values)
