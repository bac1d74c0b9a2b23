"""The generic bodies and robots, and what scripts see of them.

``kinbody``, ``robot``, ``manipulator``
    The classes that users have in hand.
``state``
    A compiled model at a state: joint values, poses, limits, derivatives.
``views``
    Links, joints and groups of settings, made on demand.
``grabber``
    What a body holds, and how it follows.
``execution``
    Trajectories that controllers follow.
``edits``, ``new_manipulator``, ``new_sensor``, ``attached_sensor``
    Changes of a body that is there.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.bodies.attached_sensor import (
        AttachedSensor,
    )
    from pyrave.bodies.execution import (
        ExecuteOptions,
        Execution,
    )
    from pyrave.bodies.kinbody import (
        KinBody,
    )
    from pyrave.bodies.manipulator import (
        Manipulator,
    )
    from pyrave.bodies.robot import (
        Robot,
    )
    from pyrave.bodies.state.saver import (
        StateSaver,
    )
    from pyrave.bodies.views.active_dofs import (
        ActiveDofs,
    )
    from pyrave.bodies.views.affine_limits import (
        AffineLimits,
        AffineRange,
    )
    from pyrave.bodies.views.configurations import (
        Configurations,
    )
    from pyrave.bodies.views.connected_bodies import (
        ConnectedBodies,
        ConnectedBody,
    )
    from pyrave.bodies.views.contact_area import (
        ContactArea,
    )
    from pyrave.bodies.views.dynamics import (
        BodyDynamics,
    )
    from pyrave.bodies.views.geometry import (
        Geometry,
    )
    from pyrave.bodies.views.grabs import (
        BodyGrabs,
    )
    from pyrave.bodies.views.grippers import (
        Grippers,
    )
    from pyrave.bodies.views.joint import (
        Joint,
    )
    from pyrave.bodies.views.limits import (
        BodyLimits,
    )
    from pyrave.bodies.views.link import (
        Link,
    )
    from pyrave.bodies.views.structure import (
        BodyStructure,
    )

__all__ = [
    "ActiveDofs",
    "AffineLimits",
    "AffineRange",
    "AttachedSensor",
    "BodyDynamics",
    "BodyGrabs",
    "BodyLimits",
    "BodyStructure",
    "Configurations",
    "ConnectedBodies",
    "ConnectedBody",
    "ContactArea",
    "ExecuteOptions",
    "Execution",
    "Geometry",
    "Grippers",
    "Joint",
    "KinBody",
    "Link",
    "Manipulator",
    "Robot",
    "StateSaver",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "views.active_dofs": "ActiveDofs",
        "views.affine_limits": "AffineLimits AffineRange",
        "attached_sensor": "AttachedSensor",
        "views.configurations": "Configurations",
        "views.connected_bodies": "ConnectedBodies ConnectedBody",
        "views.grippers": "Grippers",
        "views.contact_area": "ContactArea",
        "views.dynamics": "BodyDynamics",
        "execution": "ExecuteOptions Execution",
        "views.geometry": "Geometry",
        "views.grabs": "BodyGrabs",
        "views.joint": "Joint",
        "kinbody": "KinBody",
        "views.limits": "BodyLimits",
        "views.link": "Link",
        "manipulator": "Manipulator",
        "robot": "Robot",
        "state.saver": "StateSaver",
        "views.structure": "BodyStructure",
    },
)
