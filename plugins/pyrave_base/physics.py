"""The default physics engine, which keeps velocities and moves nothing."""

from __future__ import annotations

from pyrave.interfaces.physicsengine import PhysicsEngineBase


class GenericPhysicsEngine(PhysicsEngineBase):
    """Keep the velocities that bodies are given, and move nothing.

    Velocities live in the bodies (``base_velocity`` and ``dof_velocities``), so that
    states, clones and saved environments have them. Link velocities that the joints
    cannot produce are projected (least squares) to those that they can.
    """

    contract = 1

    def simulate_step(self, dt: float) -> None:
        """Move nothing."""
