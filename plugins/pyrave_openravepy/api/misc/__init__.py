"""Helpers of OpenRAVE's scripts: options, logs, drawings, meshes, samples, comparisons.

``arguments``, ``logging_setup``
    Options of programs, environments made of them, and logs.
``drawings``, ``meshes``
    Axes, labels, goals and circles; triangles of simple shapes.
``samples``, ``orders``
    Even samples of rotations and places; orders of configurations and products.
``arms``, ``comparison``
    Inverse kinematics of several arms; bodies and environments that are the same.
"""

from pyrave_openravepy.api.misc.arguments import (
    OpenRAVEGlobalArguments,
    SetViewerUserThread,
)
from pyrave_openravepy.api.misc.arms import MultiManipIKSolver
from pyrave_openravepy.api.misc.comparison import CompareBodies, CompareEnvironments
from pyrave_openravepy.api.misc.drawings import (
    DrawAxes,
    DrawCircle,
    DrawIkparam,
    DrawIkparam2,
    DrawLabel,
)
from pyrave_openravepy.api.misc.files import (
    InitOpenRAVELogging,
    LoadTrajectoryFromFile,
    mkdir_recursive,
)
from pyrave_openravepy.api.misc.meshes import (
    ComputeBoxMesh,
    ComputeCylinderYMesh,
    ComputeGeodesicSphereMesh,
)
from pyrave_openravepy.api.misc.orders import TSP, sequence_cross_product
from pyrave_openravepy.api.misc.samples import SpaceSamplerExtra

__all__ = [
    "TSP",
    "CompareBodies",
    "CompareEnvironments",
    "ComputeBoxMesh",
    "ComputeCylinderYMesh",
    "ComputeGeodesicSphereMesh",
    "DrawAxes",
    "DrawCircle",
    "DrawIkparam",
    "DrawIkparam2",
    "DrawLabel",
    "InitOpenRAVELogging",
    "LoadTrajectoryFromFile",
    "MultiManipIKSolver",
    "OpenRAVEGlobalArguments",
    "SetViewerUserThread",
    "SpaceSamplerExtra",
    "mkdir_recursive",
    "sequence_cross_product",
]
