"""Registrations of the engine: old names, blocks of settings, its kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave_mujoco.engine_blocks import EngineBlock

OLD_ENGINES = ("ode", "bullet", "moby", "RWPEIsland", "RWPEWorld")
"""Physics engines that files and scripts of OpenRAVE and RobWork name."""
BLOCKS = ("odeproperties", "bulletproperties", "mujocoproperties")
"""Elements with settings of engines."""


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the old names: they are this engine, or none where MuJoCo is missing."""
    target = "mujoco" if find_spec("mujoco") else "GenericPhysicsEngine"
    return [("physicsengine", name, target) for name in OLD_ENGINES]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of blocks in ``<physicsengine>``."""
    return [("physicsengine", tag, read_block) for tag in BLOCKS]


def read_block(element: Any, context: Any) -> EngineBlock:
    """Read the block of an engine; what cannot be used is reported as warnings."""
    from pyrave_mujoco.engine_blocks import read_block as read

    return read(element, context)


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernel that moves bodies."""
    from pyrave_mujoco.transfer import PULL

    return [("physics-pull", PULL.now)]
