"""The generic bodies and robots, and what scripts see of them.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.bodies.active_dofs import (
        ActiveDofs,
    )
    from pyrave.bodies.affine_limits import (
        AffineLimits,
        AffineRange,
    )
    from pyrave.bodies.attached_sensor import (
        AttachedSensor,
    )
    from pyrave.bodies.configurations import (
        Configurations,
    )
    from pyrave.bodies.contact_area import (
        ContactArea,
    )
    from pyrave.bodies.dynamics import (
        BodyDynamics,
    )
    from pyrave.bodies.executing import (
        ExecuteOptions,
        Execution,
    )
    from pyrave.bodies.geometry import (
        Geometry,
    )
    from pyrave.bodies.grabs import (
        BodyGrabs,
    )
    from pyrave.bodies.joint import (
        Joint,
    )
    from pyrave.bodies.kinbody import (
        KinBody,
    )
    from pyrave.bodies.limits import (
        BodyLimits,
    )
    from pyrave.bodies.link import (
        Link,
    )
    from pyrave.bodies.manipulator import (
        Manipulator,
    )
    from pyrave.bodies.robot import (
        Robot,
    )
    from pyrave.bodies.state_saver import (
        StateSaver,
    )
    from pyrave.bodies.structure import (
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
    "ContactArea",
    "ExecuteOptions",
    "Execution",
    "Geometry",
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
        "active_dofs": "ActiveDofs",
        "affine_limits": "AffineLimits AffineRange",
        "attached_sensor": "AttachedSensor",
        "configurations": "Configurations",
        "contact_area": "ContactArea",
        "dynamics": "BodyDynamics",
        "executing": "ExecuteOptions Execution",
        "geometry": "Geometry",
        "grabs": "BodyGrabs",
        "joint": "Joint",
        "kinbody": "KinBody",
        "limits": "BodyLimits",
        "link": "Link",
        "manipulator": "Manipulator",
        "robot": "Robot",
        "state_saver": "StateSaver",
        "structure": "BodyStructure",
    },
)
