"""The other libraries, each with the same face: a call for a pose, and its answer.

``pip install eaik ssik tesseract-robotics roboticstoolbox-python`` for all of them;
what is missing is left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from ik_arms import OPW, radians

NAMES = {
    "eaik": "eaik.IK_DH",
    "ssik": "ssik",
    "opw": "tesseract_robotics.tesseract_kinematics",
    "rtb": "roboticstoolbox",
}


def optional(peer: str) -> Any:
    """Return a library, or None where it is not installed."""
    try:
        return importlib.import_module(NAMES[peer])
    except ImportError:
        return None


class Peer:
    """A solver of one arm.

    Parameters
    ----------
    call
        All solutions of a target, as the library returns them.
    target
        The library's form of a (4, 4) pose.
    rows
        Joint values (k, n) of what `call` returned.
    """

    def __init__(
        self,
        call: Callable[[Any], Any],
        target: Callable[[Any], Any] = np.ascontiguousarray,
        rows: Callable[[Any], Any] = np.asarray,
    ) -> None:
        self.call = call
        self.target = target
        self.rows = rows
        self.kept: tuple[Any, ...] = ()


def eaik(name: str) -> tuple[Peer, Callable[[Any], Any]] | None:
    """Return EAIK's solver of an arm of the tables, and that of many poses."""
    module = optional("eaik")
    if module is None:
        return None
    lengths, twists, offsets = radians(name)
    arm = module.DhRobot(twists, lengths, offsets)
    return Peer(arm.IK, rows=lambda found: np.asarray(found.Q)), arm.IK_batched


def ssik(prebuilt: str) -> tuple[Peer, Callable[[Any], Any]] | None:
    """Return ssik's solver of an arm that it ships, and its forward kinematics."""
    module = optional("ssik")
    if module is None:
        return None
    arm = module.Manipulator.from_prebuilt(prebuilt)
    (path,) = [one.import_path for one in module.list_arms() if one.name == prebuilt]
    solve = importlib.import_module(path).solve

    def call(pose: Any) -> Any:
        return solve(pose, respect_limits=False)

    return Peer(call, rows=lambda found: np.array([one.q for one in found])), arm.fk


def opw(name: str) -> Peer | None:
    """Return tesseract's OPW for the sizes of an arm.

    It counts angles its own way; the solutions are not converted to arrays in the time
    that is measured, and nothing checks them.
    """
    if optional("opw") is None:
        return None
    import tesseract_robotics
    from tesseract_robotics import tesseract_common as common
    from tesseract_robotics.tesseract_kinematics import KinematicsPluginFactory
    from tesseract_robotics.tesseract_state_solver import OFKTStateSolver
    from tesseract_robotics.tesseract_urdf import parseURDFString

    libraries = Path(tesseract_robotics.__file__).parents[1] / "tesseract_robotics.libs"
    (library,) = libraries.glob("libtesseract_kinematics_opw_factory*")
    keys = ("a1", "a2", "b", "c1", "c2", "c3", "c4")
    sizes = "".join(
        f"\n              {key}: {size}"
        for key, size in zip(keys, OPW[name], strict=True)
    )
    plugins = f"""
kinematic_plugins:
  search_paths: [{libraries}]
  search_libraries: [{library.name.removeprefix("lib").removesuffix(".so")}]
  inv_kin_plugins:
    arm:
      default: OPW
      plugins:
        OPW:
          class: OPWInvKinFactory
          config:
            base_link: base
            tip_link: tool
            params:{sizes}
              offsets: [0, 0, 0, 0, 0, 0]
              sign_corrections: [1, 1, 1, 1, 1, 1]
"""
    locator = common.GeneralResourceLocator()
    factory = KinematicsPluginFactory(plugins, locator)
    scene = parseURDFString(_six_joints(), locator)
    graph = scene.__deref__()
    state = OFKTStateSolver(graph).getState()
    solver = factory.createInvKin("arm", "OPW", graph, state)
    zero = np.zeros(6)

    def target(pose: Any) -> Any:
        found = common.TransformMap()
        found["tool"] = common.Isometry3d(pose)
        return found

    def call(found: Any) -> Any:
        return solver.calcInvKin(found, zero)

    def rows(found: Any) -> Any:
        return np.array([np.ravel(found[i]) for i in range(len(found))])

    peer = Peer(call, target, rows)
    peer.kept = locator, factory, scene, state  # nothing else keeps the C++ objects
    return peer


def _six_joints() -> str:
    """Return a robot with the joints that OPW asks for; it knows the sizes itself."""
    links = ["base", *(f"link{i}" for i in range(1, 6)), "tool"]
    text = "".join(f'<link name="{name}"/>' for name in links)
    for i, (parent, child) in enumerate(pairwise(links), 1):
        text += (
            f'<joint name="joint{i}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="0 0 1"/>'
            '<limit lower="-7" upper="7" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="arm">{text}</robot>'


def rtb(frames: Any, lower: Any, upper: Any) -> Callable[..., Any] | None:
    """Return rtb's damped least squares for an arm whose joints turn about z.

    With the tolerance 1e-12 on its squared residual: with its default of 1e-6 it stops
    at errors of a millimetre. Takes a pose and where to begin, by default anywhere.

    Parameters
    ----------
    frames
        (n + 1, 12) of each joint in the one before it, and of the tool.
    """
    if optional("rtb") is None:
        return None
    from roboticstoolbox import ET, ETS
    from spatialmath import SE3

    poses = [np.vstack([row.reshape(3, 4), np.eye(4)[3]]) for row in frames]
    found = ETS()
    for pose in poses[:-1]:
        found = found * ET.SE3(SE3(pose, check=False)) * ET.Rz()
    found = found * ET.SE3(SE3(poses[-1], check=False))
    limits = np.clip(np.stack([lower, upper], axis=1), -2 * np.pi, 2 * np.pi)
    for joint, ends in zip(found.joints(), limits, strict=True):
        joint.qlim = ends
    return lambda pose, q0=None: found.ik_LM(pose, q0=q0, tol=1e-12, joint_limits=True)
