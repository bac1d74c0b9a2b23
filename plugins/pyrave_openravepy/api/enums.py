"""Enumerations of OpenRAVE's API, with its numbers."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

__all__ = [
    "ActuatorState",
    "AdjacentOptions",
    "CheckLimitsAction",
    "CloningOptions",
    "CollisionAction",
    "CollisionOptions",
    "ConfigureCommand",
    "ConstraintFilterOptions",
    "DOFAffine",
    "DebugLevel",
    "EnvironmentCreateOptions",
    "ErrorCode",
    "ExtractInfoOptions",
    "GeometryType",
    "GrabbedInfoCheckResult",
    "IkFilterOptions",
    "IkParameterizationType",
    "IkReturnAction",
    "InterfaceAddMode",
    "InterfaceType",
    "Interval",
    "JointControlMode",
    "JointType",
    "PhysicsEngineOptions",
    "PlannerAction",
    "PlannerStatusCode",
    "SampleDataType",
    "SaveParameters",
    "SelectionOptions",
    "SensorType",
    "SerializationOptions",
    "SideWallType",
    "UpdateFromInfoMode",
    "UpdateFromInfoResult",
]


class _Number(enum.IntEnum):
    """A number with a name; prints as OpenRAVE's do, and compares with integers."""

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise _no_member(cls, value)


class _Bits(enum.IntFlag, boundary=enum.KEEP):
    """Bits with names, which are combined by ``|``; unknown bits are kept."""

    def __str__(self) -> str:
        return self.name or str(int(self))

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if isinstance(value, int):
            return super()._missing_(value)
        raise _no_member(cls, value)


def _no_member(cls: type[enum.Enum], value: object) -> Exception:
    known = ", ".join(f"{one.name} = {one.value}" for one in cls)
    return _error[0](f"{value!r:.80} is no {cls.__name__}, expected one of {known}")


def set_error(make: Callable[[str], Exception]) -> None:
    """Take what makes errors: they have a code of an enumeration, and come later."""
    _error[0] = make


_error: list[Callable[[str], Exception]] = [ValueError]


def _numbers(name: str, values: dict[str, int]) -> Any:
    make: Any = _Number
    return make(name, values, module=__name__)


def _counted(name: str, names: str) -> Any:
    return _numbers(name, {one: index for index, one in enumerate(names.split())})


# "None" is a word of Python: such names are reached by getattr, or with a dash
def _with_none(name: str, values: dict[str, int]) -> Any:
    return _numbers(name, {**values, "None_": values["None"]})


ErrorCode = _counted(
    "ErrorCode",
    "Failed InvalidArguments EnvironmentNotLocked CommandNotSupported Assert "
    "InvalidPlugin InvalidInterfaceHash NotImplemented InconsistentConstraints "
    "NotInitialized InvalidState Timeout",
)
DebugLevel = _numbers(
    "DebugLevel",
    {
        "Fatal": 0,
        "Error": 1,
        "Warn": 2,
        "Info": 3,
        "Debug": 4,
        "Verbose": 5,
        "VerifyPlans": -(2**31),
    },
)
InterfaceType = _numbers(
    "InterfaceType",
    {
        "planner": 1,
        "robot": 2,
        "sensorsystem": 3,
        "controller": 4,
        "module": 5,
        "probleminstance": 5,
        "iksolver": 6,
        "kinbody": 7,
        "physicsengine": 8,
        "sensor": 9,
        "collisionchecker": 10,
        "trajectory": 11,
        "viewer": 12,
        "spacesampler": 13,
    },
)
InterfaceAddMode = _numbers(
    "InterfaceAddMode",
    {
        "AllowRenaming": 0,
        "StrictNameChecking": 1,
        "StrictIdChecking": 2,
        "StrictNameIdChecking": 3,
    },
)
EnvironmentCreateOptions = _numbers(
    "EnvironmentCreateOptions", {"ECO_StartSimulationThread": 1}
)


class CloningOptions(_Bits):
    """Parts of an environment that a clone takes over."""

    Bodies = 0x1
    Viewer = 0x2
    Simulation = 0x4
    RealControllers = 0x8
    Sensors = 0x10
    Modules = 0x20
    PassOnMissingBodyReferences = 0x8000
    IgnoreGrabbedBodies = 0x10000


class SelectionOptions(_Number):
    """Bodies that a file is written of."""

    NoRobots = 1
    Robots = 2
    Everything = 3
    Body = 4
    AllExceptBody = 5


class SerializationOptions(_Bits):
    """Parts of a body that `serialize` writes."""

    Kinematics = 0x1
    Dynamics = 0x2
    BodyState = 0x4
    NamesAndFiles = 0x8
    RobotManipulators = 0x10
    RobotSensors = 0x20
    Geometry = 0x40
    InverseKinematics = 0x80
    JointLimits = 0x100


class UpdateFromInfoMode(_Number):
    """Bodies that `UpdateFromInfo` may remove."""

    Exact = 0
    OnlySpecifiedBodiesExact = 1


class UpdateFromInfoResult(_Number):
    """Results of an update by an info."""

    NoChange = 0
    Success = 1
    RequireRemoveFromEnvironment = 2
    RequireReinitialize = 3


class CollisionOptions(_Bits):
    """Findings that collision queries are asked for."""

    Distance = 0x1
    UseTolerance = 0x2
    Contacts = 0x4
    RayAnyHit = 0x8
    ActiveDOFs = 0x10
    AllLinkCollisions = 0x20
    AllGeometryCollisions = 0x40
    AllGeometryContacts = 0x80
    IgnoreCallbacks = 0x100


class CollisionAction(_Number):
    """Answers of collision callbacks."""

    DefaultAction = 0
    Ignore = 1


class PhysicsEngineOptions(_Bits):
    """Options of physics engines."""

    SelfCollisions = 0x1


class IkFilterOptions(_Bits):
    """Checks of solutions of inverse kinematics."""

    CheckEnvCollisions = 0x1
    IgnoreSelfCollisions = 0x2
    IgnoreJointLimits = 0x4
    IgnoreCustomFilters = 0x8
    IgnoreEndEffectorEnvCollisions = 0x10
    IgnoreEndEffectorSelfCollisions = 0x20
    IgnoreEndEffectorCollisions = 0x30


class IkReturnAction(_Bits):
    """Answers of filters of inverse kinematics."""

    Success = 0
    Reject = 0x1
    Quit = 0x2
    QuitEndEffectorCollision = 0x12
    RejectKinematics = 0x21
    RejectSelfCollision = 0x41
    RejectEnvCollision = 0x81
    RejectJointLimits = 0x101
    RejectKinematicsPrecision = 0x201
    RejectCustomFilter = 0x8001


_TARGETS = {
    "Transform6D": 0x67000001,
    "Rotation3D": 0x34000002,
    "Translation3D": 0x33000003,
    "Direction3D": 0x23000004,
    "Ray4D": 0x46000005,
    "Lookat3D": 0x23000006,
    "TranslationDirection5D": 0x56000007,
    "TranslationXY2D": 0x22000008,
    "TranslationXYOrientation3D": 0x33000009,
    "TranslationLocalGlobal6D": 0x3600000A,
    "TranslationXAxisAngle4D": 0x4400000B,
    "TranslationYAxisAngle4D": 0x4400000C,
    "TranslationZAxisAngle4D": 0x4400000D,
    "TranslationXAxisAngleZNorm4D": 0x4400000E,
    "TranslationYAxisAngleXNorm4D": 0x4400000F,
    "TranslationZAxisAngleYNorm4D": 0x44000010,
}
_VELOCITY_BIT = 0x8000
IkParameterizationType = _with_none(
    "IkParameterizationType",
    {
        "None": 0,
        **_TARGETS,
        "VelocityDataBit": _VELOCITY_BIT,
        **{f"{name}Velocity": code | _VELOCITY_BIT for name, code in _TARGETS.items()},
        "UniqueIdMask": 0xFFFF,
        "CustomDataBit": 0x10000,
    },
)


class DOFAffine(_Bits):
    """Degrees of freedom of a base."""

    NoTransform = 0
    X = 0x1
    Y = 0x2
    Z = 0x4
    RotationAxis = 0x8
    Rotation3D = 0x10
    RotationQuat = 0x20
    RotationMask = 0x38
    Transform = 0x27


class CheckLimitsAction(_Number):
    """Treatments of values beyond their limits."""

    Nothing = 0
    CheckLimits = 1
    CheckLimitsSilent = 2
    CheckLimitsThrow = 3


class AdjacentOptions(_Bits):
    """Pairs of links that `GetNonAdjacentLinks` leaves out."""

    Enabled = 0x1
    ActiveDOFs = 0x2


class SaveParameters(_Bits):
    """Parts of a body's state that a saver keeps."""

    LinkTransformation = 0x1
    LinkEnable = 0x2
    LinkVelocities = 0x4
    JointMaxVelocityAndAcceleration = 0x8
    JointWeights = 0x10
    JointLimits = 0x20
    JointResolutions = 0x40
    ActiveDOF = 0x10000
    ActiveManipulator = 0x20000
    GrabbedBodies = 0x40000
    ActiveManipulatorToolTransform = 0x80000
    ManipulatorsToolTransform = 0x100000
    ConnectedBodies = 0x200000


JointType = _with_none(
    "JointType",
    {
        "None": 0,
        "Hinge": 0x01,
        "Revolute": 0x01,
        "Slider": 0x11,
        "Prismatic": 0x11,
        "RR": 0x02,
        "RP": 0x12,
        "PR": 0x22,
        "PP": 0x32,
        "Universal": 0x80000001,
        "Hinge2": 0x80000002,
        "Spherical": 0x80000003,
        "Trajectory": 0x80000004,
    },
)
JointControlMode = _counted(
    "JointControlMode", "JCM_None JCM_RobotController JCM_IO JCM_ExternalDevice"
)
GeometryType = _with_none(
    "GeometryType",
    {
        "None": 0,
        "Box": 1,
        "Sphere": 2,
        "Cylinder": 3,
        "Trimesh": 4,
        "Container": 5,
        "Cage": 6,
        "CalibrationBoard": 7,
        "Axial": 8,
        "ConicalFrustum": 9,
        "Prism": 10,
        "Capsule": 11,
    },
)
SideWallType = _numbers("SideWallType", {"NX": 0, "PX": 1, "NY": 2, "PY": 3})
ExtractInfoOptions = _numbers(
    "ExtractInfoOptions", {"Everything": 0, "SkipDOFValues": 1}
)
GrabbedInfoCheckResult = _counted(
    "GrabbedInfoCheckResult",
    "Identical BodyNotGrabbed GrabbingLinkNotMatch IgnoredLinksNotMatch",
)
ConfigureCommand = _numbers(
    "ConfigureCommand",
    {
        "PowerOn": 0x10,
        "PowerOff": 0x11,
        "PowerCheck": 0x12,
        "RenderDataOn": 0x20,
        "RenderDataOff": 0x21,
        "RenderDataCheck": 0x23,
        "RenderGeometryOn": 0x30,
        "RenderGeometryOff": 0x31,
        "RenderGeometryCheck": 0x32,
    },
)
SensorType = _counted(
    "Type", "Invalid Laser Camera JointEncoder Force6D IMU Odometry Tactile Actuator"
)
ActuatorState = _counted("ActuatorState", "Undefined Idle Moving Stalled Braked")


class Interval(_Bits):
    """Ends of an interval that are samples, and how a trajectory is interpolated."""

    Open = 0
    OpenStart = 1
    OpenEnd = 2
    Closed = 3
    IntervalMask = 3
    Default = 0
    AllLinear = 4
    Cubic = 8
    Quintic = 12
    InterpolationMask = 0xC


SampleDataType = _numbers("SampleDataType", {"Real": 1, "Uint32": 2})


class PlannerStatusCode(_Bits):
    """Outcomes of a planner's search."""

    Failed = 0
    HasSolution = 1
    Interrupted = 2
    InterruptedWithSolution = 3


PlannerAction = _with_none(
    "PlannerAction", {"None": 0, "Interrupt": 1, "ReturnWithAnySolution": 2}
)


class ConstraintFilterOptions(_Bits):
    """Checks of configurations and of motions between them."""

    CheckEnvCollisions = 0x1
    CheckSelfCollisions = 0x2
    CheckTimeBasedConstraints = 0x4
    BreakOnFirstValidation = 0x8
    CheckUserConstraints = 0x8000
    CheckWithPerturbation = 0x10000
    FillCheckedConfiguration = 0x20000
    FillCollisionReport = 0x40000
    FromPathSampling = 0x100000
    FromPathShortcutting = 0x200000
    FromTrajectorySmoother = 0x400000
    FinalValuesNotReached = 0x40000000
    StateSettingError = 0x80000000
    RecommendedOptions = 0xFFFF
