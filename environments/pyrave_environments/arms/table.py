"""The arms. Lengths in metres, angles in degrees."""

from __future__ import annotations

import math

from pyrave_environments.arms.data import Arm, At, Row, Vec3

__all__ = ["ARMS"]

Limits = tuple[float, float]

_TURN = (-180.0, 180.0)


def _both(degrees: float) -> Limits:
    return (-degrees, degrees)


def _industrial(
    name: str,
    title: str,
    base: tuple[float, float],
    upper: float,
    fore: tuple[float, float],
    flange: float,
    limits: tuple[Limits, ...],
) -> Arm:
    """Return an arm with its shoulder before and its elbow below the forearm.

    Parameters
    ----------
    base
        Where the second axis is: forward and up.
    upper
        Length of the upper arm, which stands upright.
    fore
        From the third axis to the wrist: forward and up.
    flange
        From the wrist to the flange, forward.
    """
    x, z = base
    top = z + upper
    wrist: Vec3 = (x + fore[0], 0.0, top + fore[1])
    where = (
        ("z", (0.0, 0.0, z)),
        ("y", (x, 0.0, z)),
        ("y", (x, 0.0, top)),
        ("x", wrist),
        ("y", wrist),
        ("x", wrist),
    )
    joints = tuple(
        At(axis, point, span) for (axis, point), span in zip(where, limits, strict=True)
    )
    tool = (wrist[0] + flange, 0.0, wrist[2])
    return Arm(name, title, "the maker's data sheet", joints, tool, "x")


def _universal(
    name: str, title: str, lengths: tuple[float, float, float, float, float, float]
) -> Arm:
    """Return an arm of Universal Robots: d1, a2, a3, d4, d5, d6."""
    d1, a2, a3, d4, d5, d6 = lengths
    joints = (
        Row(0.0, 90.0, d1, _TURN),
        Row(-a2, 0.0, 0.0, _TURN),
        Row(-a3, 0.0, 0.0, _TURN),
        Row(0.0, 90.0, d4, _TURN),
        Row(0.0, -90.0, d5, _TURN),
        Row(0.0, 0.0, d6, _TURN),
    )
    return Arm(name, title, "the maker's table of DH parameters", joints)


def _six(*spans: Limits) -> tuple[Limits, ...]:
    return spans


_PUMA = Arm(
    "puma560",
    "Unimation PUMA 560",
    "Corke and Armstrong-Helouvry, ICRA 1994",
    (
        Row(0.0, 90.0, 0.0, _both(160.0)),
        Row(0.4318, 0.0, 0.0, (-45.0, 225.0)),
        Row(0.0203, -90.0, 0.15005, (-225.0, 45.0)),
        Row(0.0, 90.0, 0.4318, (-110.0, 170.0)),
        Row(0.0, -90.0, 0.0, _both(100.0)),
        Row(0.0, 0.0, 0.05625, _both(266.0)),
    ),
)
_STANFORD = Arm(
    "stanford",
    "Stanford arm",
    "Paul, Robot Manipulators, 1981; Scheinman, 1969",
    (
        Row(0.0, -90.0, 0.412, _both(170.0)),
        Row(0.0, 90.0, 0.154, _both(170.0)),
        Row(0.0203, 0.0, 0.0, (0.3048, 1.27), -90.0, slides=True),
        Row(0.0, -90.0, 0.0, _both(170.0)),
        Row(0.0, 90.0, 0.0, _both(90.0)),
        Row(0.0, 0.0, 0.263, _both(170.0)),
    ),
)
_JACO_6S = Arm(
    "jaco2_6s",
    "Kinova Jaco2 with six joints and a spherical wrist (j2s6)",
    "the maker's robot description",
    (
        At("-z", (0.0, 0.0, 0.15675), None),
        At("-y", (0.0, 0.0016, 0.2755), (47.0, 313.0)),
        At("y", (0.0, 0.0016, -0.1345), (19.0, 341.0)),
        At("-z", (0.0, -0.0098, 0.17655), None),
        At("-y", (0.0, -0.0098, 0.17655), (30.0, 330.0)),
        At("z", (0.0, -0.0098, 0.17655), None),
    ),
    (0.0, -0.0098, -0.0872),
    "-z",
)
_BEND = 1.0 / math.sqrt(3.0)
_JACO_6N = Arm(
    "jaco2_6n",
    "Kinova Jaco2 with six joints and a bent wrist (j2n6)",
    "the maker's table of DH parameters: each bend of the wrist is two of 30 degrees",
    (
        Row(0.0, 90.0, 0.2755, None),
        Row(0.41, 180.0, 0.0, (47.0, 313.0), -90.0),
        Row(0.0, 90.0, -0.0098, (19.0, 341.0), 90.0),
        Row(0.0, 60.0, -0.2073 - 0.0741 * _BEND, None),
        Row(0.0, 60.0, -0.0741 * 2.0 * _BEND, None, -180.0),
        Row(0.0, 180.0, -0.16 - 0.0741 * _BEND, None, 100.0),
    ),
)
_GEN3_LITE = Arm(
    "gen3_lite",
    "Kinova Gen3 lite",
    "the maker's user guide",
    (
        At("z", (0.0, 0.0, 0.12825), _both(154.0)),
        At("-y", (0.0, -0.03, 0.24325), _both(150.0)),
        At("y", (0.0, -0.03, 0.52325), _both(150.0)),
        At("z", (0.0, -0.01, 0.66325), _both(148.0)),
        At("x", (0.0285, -0.01, 0.76825), _both(147.0)),
        At("z", (0.057, -0.01, 0.87325), _both(148.0)),
    ),
    (0.057, -0.01, 1.00325),
)
_CRX = Arm(
    "crx10ia",
    "Fanuc CRX-10iA",
    "the maker's data sheet",
    (
        At("z", (0.0, 0.0, 0.245), _both(190.0)),
        At("y", (0.0, 0.0, 0.245), _both(179.9)),
        At("-y", (0.0, 0.0, 0.785), (-71.0, 251.0)),
        At("-x", (0.0, 0.0, 0.785), _both(190.0)),
        At("-y", (0.54, 0.0, 0.785), _both(179.9)),
        At("-x", (0.54, -0.15, 0.785), _both(225.0)),
    ),
    (0.7, -0.15, 0.785),
    "x",
)
_VS060 = Arm(
    "vs060",
    "Denso VS060",
    "the maker's data sheet",
    (
        At("z", (0.0, 0.0, 0.345), _both(170.0)),
        At("y", (0.0, 0.0, 0.345), _both(120.0)),
        At("y", (0.0, 0.0, 0.65), (-125.0, 155.0)),
        At("z", (-0.01, 0.0, 0.95), _both(270.0)),
        At("y", (-0.01, 0.0, 0.95), _both(120.0)),
        At("z", (-0.01, 0.0, 0.95), _both(360.0)),
    ),
    (-0.01, 0.0, 1.02),
)
_NEXTAGE = Arm(
    "nextage",
    "Kawada HIRO and Nextage, right arm",
    "the maker's robot description; the shoulder is tilted by 15 degrees",
    (
        At("z", (0.0, 0.0, 0.0), _both(88.0)),
        At("y", (0.0, 0.0, 0.0), (-140.0, 60.0)),
        At("y", (0.0, -0.095, -0.25), (-158.0, 0.0)),
        At("z", (-0.03, -0.095, -0.25), (-165.0, 105.0)),
        At("y", (-0.03, -0.095, -0.485), _both(100.0)),
        At("x", (-0.07, -0.095, -0.575), _both(163.0)),
    ),
    (-0.12, -0.095, -0.575),
    "-z",
    tilt=15.0,
    mount=(0.0, -0.145, 0.370296),
)

_FRANKA = (
    ("z", (0.0, 0.0, 0.333)),
    ("y", (0.0, 0.0, 0.333)),
    ("z", (0.0, 0.0, 0.649)),
    ("-y", (0.0825, 0.0, 0.649)),
    ("z", (0.0, 0.0, 1.033)),
    ("-y", (0.0, 0.0, 1.033)),
    ("-z", (0.088, 0.0, 1.033)),
)


def _franka(name: str, title: str, spans_rad: tuple[Limits, ...]) -> Arm:
    joints = tuple(
        At(axis, point, (math.degrees(low), math.degrees(high)))
        for (axis, point), (low, high) in zip(_FRANKA, spans_rad, strict=True)
    )
    where = "the maker's table of DH parameters (after Craig)"
    return Arm(name, title, where, joints, (0.088, 0.0, 0.926), "-z")


def _upright(
    name: str,
    title: str,
    heights: tuple[float, ...],
    spans: tuple[Limits | None, ...],
    bends: str = "-y",
    source: str = "the maker's data sheet",
) -> Arm:
    """Return an arm that stands upright: turns about z at odd joints, bends at even.

    Parameters
    ----------
    heights
        Of shoulder, elbow, wrist and flange.
    """
    shoulder, elbow, wrist, flange = heights
    joints = tuple(
        At("z" if i % 2 == 0 else bends, (0.0, 0.0, z), span)
        for i, (z, span) in enumerate(
            zip(
                (shoulder, shoulder, shoulder, elbow, elbow, wrist, wrist),
                spans,
                strict=True,
            )
        )
    )
    return Arm(name, title, source, joints, (0.0, 0.0, flange))


_WAM_JOINTS = (
    At("z", (0.0, 0.0, 0.346), _both(150.0)),
    At("y", (0.0, 0.0, 0.346), _both(113.0)),
    At("z", (0.0, 0.0, 0.346), _both(157.0)),
    At("y", (0.045, 0.0, 0.896), (-50.0, 180.0)),
    At("z", (0.0, 0.0, 0.896), (-275.0, 75.0)),
    At("y", (0.0, 0.0, 1.196), _both(90.0)),
    At("z", (0.0, 0.0, 1.196), _both(172.0)),
)
_WAM7 = Arm(
    "wam7",
    "Barrett WAM with seven joints",
    "the maker's user manual",
    _WAM_JOINTS,
    (0.0, 0.0, 1.256),
)
_WAM4 = Arm(
    "wam4",
    "Barrett WAM with four joints",
    "the maker's user manual",
    _WAM_JOINTS[:4],
    (0.0, 0.0, 1.246),
)
_GEN3 = Arm(
    "gen3",
    "Kinova Gen3 with seven joints",
    "the maker's user guide",
    (
        At("-z", (0.0, 0.0, 0.15643), None),
        At("y", (0.0, 0.0, 0.28481), _both(128.9)),
        At("-z", (0.0, -0.0118, 0.49519), None),
        At("y", (0.0, -0.0118, 0.70557), _both(147.8)),
        At("-z", (0.0, -0.0246, 0.914), None),
        At("y", (0.0, -0.0246, 1.01993), _both(120.3)),
        At("-z", (0.0, -0.0246, 1.12586), None),
    ),
    (0.0, -0.0246, 1.1874),
)
_PR2 = Arm(
    "pr2_left_arm",
    "Willow Garage PR2, left arm",
    "the maker's hardware specification",
    (
        At("z", (0.0, 0.188, 0.0), (-32.3493, 122.349)),
        At("y", (0.1, 0.188, 0.0), (-20.2598, 74.2725)),
        At("x", (0.1, 0.188, 0.0), (-37.2423, 214.859)),
        At("y", (0.5, 0.188, 0.0), (-121.542, -8.59437)),
        At("x", (0.5, 0.188, 0.0), None),
        At("y", (0.821, 0.188, 0.0), (-114.592, -5.72958)),
        At("x", (0.821, 0.188, 0.0), None),
    ),
    (1.001, 0.188, 0.0),
    "x",
)
_KATANA = Arm(
    "katana",
    "Neuronics Katana with five joints",
    "the maker's robot description",
    (
        At("-z", (0.0, 0.0, 0.135), _both(169.5)),
        At("y", (0.0, 0.0, 0.2015), (-34.25, 108.75)),
        At("y", (0.0, 0.0, 0.3915), (-122.7, 127.3)),
        At("-y", (0.0, 0.0, 0.5305), _both(116.5)),
        At("z", (0.0, 0.0, 0.6505), _both(171.5)),
    ),
    (0.0, 0.0, 0.8035),
    direction=(1.0, 0.0, 0.0),
)
_YOUBOT = Arm(
    "youbot",
    "KUKA youBot arm with five joints",
    "the maker's data sheet",
    (
        At("-z", (0.0, 0.0, 0.147), _both(169.0)),
        At("y", (0.033, 0.0, 0.147), (-65.0, 90.0)),
        At("y", (0.033, 0.0, 0.302), (-151.0, 146.0)),
        At("y", (0.033, 0.0, 0.437), _both(102.5)),
        At("-z", (0.033, 0.0, 0.5235), _both(167.5)),
    ),
    (0.033, 0.0, 0.6545),
    direction=(1.0, 0.0, 0.0),
)
_SCARA = Arm(
    "cobra600",
    "Adept Cobra 600, a SCARA",
    "the maker's user guide",
    (
        At("z", (0.0, 0.0, 0.387), _both(105.0)),
        At("z", (0.325, 0.0, 0.387), _both(150.0)),
        At("-z", (0.6, 0.0, 0.387), (0.0, 0.21), slides=True),
        At("-z", (0.6, 0.0, 0.387), _both(180.0)),
    ),
    (0.6, 0.0, 0.287),
    "-z",
    direction=(1.0, 0.0, 0.0),
)
_PLANAR = Arm(
    "planar3",
    "three parallel axes in a plane",
    "our own",
    (
        At("z", (0.0, 0.0, 0.0), _TURN),
        At("z", (0.5, 0.0, 0.0), _TURN),
        At("z", (0.9, 0.0, 0.0), _TURN),
    ),
    (1.1, 0.0, 0.0),
)
_GANTRY = Arm(
    "gantry",
    "three slides and a wrist",
    "our own",
    (
        At("x", (0.0, 0.0, 1.5), (-1.0, 1.0), slides=True),
        At("y", (0.0, 0.0, 1.5), (-0.6, 0.6), slides=True),
        At("-z", (0.0, 0.0, 1.5), (0.0, 0.8), slides=True),
        At("-z", (0.0, 0.0, 1.3), _TURN),
        At("y", (0.0, 0.0, 1.3), _both(120.0)),
        At("-z", (0.0, 0.0, 1.2), _TURN),
    ),
    (0.0, 0.0, 1.1),
    "-z",
)
_PAN_TILT = Arm(
    "pan_tilt",
    "a camera head with two joints",
    "our own",
    (
        At("z", (0.0, 0.0, 0.3), _both(170.0)),
        At("y", (0.05, 0.0, 0.38), (-60.0, 80.0)),
    ),
    (0.11, 0.02, 0.42),
    "x",
)

ARMS = (
    _PUMA,
    _STANFORD,
    _universal("ur3", "Universal Robots UR3",
               (0.1519, 0.24365, 0.21325, 0.11235, 0.08535, 0.0819)),
    _universal("ur5", "Universal Robots UR5",
               (0.089159, 0.425, 0.39225, 0.10915, 0.09465, 0.0823)),
    _universal("ur10", "Universal Robots UR10",
               (0.1273, 0.612, 0.5723, 0.163941, 0.1157, 0.0922)),
    _universal("ur3e", "Universal Robots UR3e",
               (0.15185, 0.24355, 0.2132, 0.13105, 0.08535, 0.0921)),
    _universal("ur5e", "Universal Robots UR5e",
               (0.1625, 0.425, 0.3922, 0.1333, 0.0997, 0.0996)),
    _universal("ur10e", "Universal Robots UR10e",
               (0.1807, 0.6127, 0.57155, 0.17415, 0.11985, 0.11655)),
    _industrial("irb120", "ABB IRB 120", (0.0, 0.29), 0.27, (0.302, 0.07), 0.072,
                _six(_both(165.0), _both(110.0), (-110.0, 70.0), _both(160.0),
                     _both(120.0), _both(400.0))),
    _industrial("irb2400", "ABB IRB 2400", (0.1, 0.615), 0.705, (0.755, 0.135), 0.085,
                _six(_both(180.0), (-100.0, 110.0), (-60.0, 65.0), _both(200.0),
                     _both(120.0), _both(400.0))),
    _industrial("irb6640", "ABB IRB 6640", (0.32, 0.78), 1.075, (1.1425, 0.2), 0.2,
                _six(_both(170.0), (-65.0, 85.0), (-180.0, 70.0), _both(300.0),
                     _both(120.0), _both(360.0))),
    _industrial("kr5", "KUKA KR 5 arc", (0.18, 0.4), 0.6, (0.62, 0.12), 0.115,
                _six(_both(155.0), (-90.0, 155.0), (-248.0, -75.0), _both(350.0),
                     _both(130.0), _both(350.0))),
    _industrial("kr6", "KUKA KR 6 R900", (0.025, 0.4), 0.455, (0.42, 0.035), 0.08,
                _six(_both(170.0), (-100.0, 135.0), (-210.0, 66.0), _both(185.0),
                     _both(120.0), _both(350.0))),
    _industrial("kr30", "KUKA KR 30-3", (0.35, 0.815), 0.85, (0.82, 0.145), 0.17,
                _six(_both(185.0), (-45.0, 125.0), (-210.0, 68.0), _both(350.0),
                     _both(119.0), _both(350.0))),
    _VS060,
    _NEXTAGE,
    _JACO_6S,
    _JACO_6N,
    _GEN3_LITE,
    _CRX,
    _GANTRY,
    _franka("panda", "Franka Emika Panda",
            ((-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973),
             (-3.0718, -0.0698), (-2.8973, 2.8973), (-0.0175, 3.7525),
             (-2.8973, 2.8973))),
    _franka("fr3", "Franka Research 3",
            ((-2.7437, 2.7437), (-1.7837, 1.7837), (-2.9007, 2.9007),
             (-3.0421, -0.1518), (-2.8065, 2.8065), (0.5445, 4.5169),
             (-3.0159, 3.0159))),
    _upright("iiwa14", "KUKA LBR iiwa 14 R820", (0.36, 0.78, 1.18, 1.306),
             (_both(170.0), _both(120.0), _both(170.0), _both(120.0), _both(170.0),
              _both(120.0), _both(175.0)), "y"),
    _upright("pa10", "Mitsubishi PA10 with seven joints", (0.315, 0.765, 1.265, 1.35),
             (_both(177.0), _both(91.0), _both(174.0), _both(137.0), _both(255.0),
              _both(165.0), None), "y"),
    _upright("lwa3", "Schunk LWA3", (0.3, 0.628, 0.9045, 1.087),
             (_both(180.0), _both(130.0), _both(160.0), _both(130.0), _both(160.0),
              _both(130.0), _both(160.0))),
    _WAM7,
    _GEN3,
    _PR2,
    _KATANA,
    _YOUBOT,
    _WAM4,
    _SCARA,
    _PLANAR,
    _PAN_TILT,
)  # fmt: skip
"""Every arm that ships, six joints first."""
