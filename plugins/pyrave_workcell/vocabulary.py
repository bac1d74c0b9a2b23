"""Elements of WorkCells and Dynamic WorkCells: where in pyrave they act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.formats.vocabulary import Meaning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.formats.vocabulary import Vocabulary

_UNUSED = "checked, and left out: RobWork uses it as little"
_DEVICE = Meaning("a robot", ("structure",))
_BODY_IDS: Mapping[str, Meaning] = {
    "MaterialID": Meaning("`link.material`", ("physics",)),
    "ObjectID": Meaning("`link.object_type`", ("physics",)),
}
_MASS: Mapping[str, Meaning] = {
    "Mass": Meaning("kg", ("dynamics",)),
    "COG": Meaning("centre of mass", ("dynamics",)),
    "Inertia": Meaning("about the centre", ("dynamics",)),
    "EstimateInertia": Meaning("from the geometry that collides", ("dynamics",)),
}
_PROPERTY = Meaning(
    "`LinearDamping`, `AngularDamping` and `Conveyor` are `link.dynamics`; others a "
    "readable of the link", ("physics",),
)  # fmt: skip
_MODELS: Mapping[str, Meaning] = {
    "Drawable": Meaning("shown, and collides", ("looks", "collision", "physics")),
    "CollisionModel": Meaning("collides", ("collision", "physics")),
}
_SETUPS: Mapping[str, Meaning] = {
    "CollisionSetup": Meaning("pairs that are not compared", ("collision",)),
    "ProximitySetup": Meaning("the same", ("collision",)),
}

ELEMENTS: Vocabulary = {
    "WorkCell": {
        "Frame": Meaning("a frame, a link or a body", ("kinematics",)),
        "Property": Meaning("`Camera`, `Scanner25D`, `Scanner2D` are sensors; others "
            "readables", ("sensors",)),
        "Calibration": Meaning("left out, with a warning of its own", told=False),
        "Camera": Meaning("nothing, as in RobWork, with a warning of its own",
            told=False),
        "SerialDevice": _DEVICE,
        "TreeDevice": _DEVICE,
        "ParallelDevice": _DEVICE,
        "MobileDevice": _DEVICE,
        **_MODELS,
        **_SETUPS,
    },
    "device": {
        "Frame": Meaning("a frame", ("kinematics",)),
        "Joint": Meaning("a joint", ("kinematics",)),
        "DHJoint": Meaning("a joint", ("kinematics",)),
        "Property": Meaning("as in a WorkCell", ("sensors",)),
        "SerialChain": Meaning("a leg", ("kinematics",)),
        "Q": Meaning("`Home` is where it starts; others for programs",
            ("kinematics",)),
        "Junction": Meaning("legs that meet", ("kinematics",)),
        "PosLimit": Meaning("limits", ("kinematics", "planning")),
        "VelLimit": Meaning("velocity limits", ("planning", "control")),
        "AccLimit": Meaning("acceleration limits", ("planning", "control")),
        **_MODELS,
        **_SETUPS,
    },
    "DynamicWorkCell": {
        "FixedBody": Meaning("a static link", ("physics",)),
        "KinematicBody": Meaning("a kinematic link", ("physics",)),
        "RigidBody": Meaning("a link with mass", ("dynamics",)),
        "KinematicDevice": Meaning("kinematic links", ("physics",)),
        "RigidDevice": Meaning("masses and torque limits of a robot", ("dynamics",)),
        "SuctionCup": Meaning("a suction cup", ("physics",)),
        "Constraint": Meaning("a constraint", ("physics",)),
        "Spring": Meaning("the spring of a constraint", ("physics",)),
        "FTSensor": Meaning("a force-torque sensor", ("sensors",)),
        "TactileMultiAxisSensor": Meaning("the same", ("sensors",)),
        "BodyContactSensor": Meaning("a contact sensor", ("sensors",)),
        "TactileArraySensor": Meaning("a tactile array", ("sensors",)),
        "PDDeviceController": Meaning("a controller", ("control",)),
        "PoseDeviceController": Meaning("a controller", ("control",)),
        "SerialDeviceController": Meaning("a controller", ("control",)),
        "SpringJointController": Meaning("a controller", ("control",)),
        "PhysicsEngine": Meaning("settings, see below", ("physics",)),
        "Gravity": Meaning("gravity; none without it", ("physics", "dynamics")),
        "MaterialData": Meaning("materials", ("physics",)),
        "FrictionMap": Meaning("friction of pairs", ("physics",)),
        "ObjectTypeData": Meaning("types of objects", ("physics",)),
        "ContactMap": Meaning("restitution of pairs", ("physics",)),
        "DefaultRestitutionModel": Meaning("left out, as by RobWork"),
        "ContactModel": Meaning("left out, as by RobWork"),
    },
    "PhysicsEngine": {
        "Property": Meaning("`env.simulation.settings`; an engine names those that "
            "are not its own", ("physics",)),
        "AutoDisable": Meaning(_UNUSED),
        "CollisionMargin": Meaning(_UNUSED),
        "RestitutionModel": Meaning(_UNUSED),
        "ContactModel": Meaning(_UNUSED),
    },
    "FixedBody": {**_BODY_IDS, "Property": _PROPERTY},
    "KinematicBody": {**_BODY_IDS},
    "RigidBody": {
        **_BODY_IDS,
        **_MASS,
        "Associate": Meaning("geometry that counts in the estimate", ("dynamics",)),
        "Property": _PROPERTY,
        "Integrator": Meaning("`link.dynamics.integrator`; RobWork wants it, engines "
            "here have one of their own", told=False),
    },
    "Link": {
        **_BODY_IDS,
        **_MASS,
        "Associate": Meaning("geometry that counts in the estimate", ("dynamics",)),
        "Property": _PROPERTY,
    },
    "RigidJoint": {**_BODY_IDS, **_MASS},
}  # fmt: skip
"""Elements by their parents."""
