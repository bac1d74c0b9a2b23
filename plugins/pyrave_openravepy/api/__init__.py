"""The module that scripts import as ``openravepy``."""

# its star gives these modules, too, as that of OpenRAVE does
import optparse
import os
import pickle
import sys as _sys

import numpy  # noqa: ICN001 - the name that scripts use

from pyrave_openravepy.api import (
    databases,
    interfaces,
    metaclass,
    misc,
    planningutils,
    pyANN,
    stringreaders,
    xmlreaders,
)
from pyrave_openravepy.api.bodies.boxes import (
    AABB,
    AABBFromOrientedBox,
    CheckAABBAndOBBCollision,
    CheckAABBCollision,
    CheckBoxAtOriginAndOBBCollision,
    CheckOBBCollision,
    OrientedBox,
    OrientedBoxFromAABB,
    Ray,
    TriMesh,
)
from pyrave_openravepy.api.bodies.infos.motor_info import ElectricMotorActuatorInfo
from pyrave_openravepy.api.bodies.kinbody import KinBody
from pyrave_openravepy.api.bodies.savers import StateRestoreContext
from pyrave_openravepy.api.collision.checker import CollisionChecker
from pyrave_openravepy.api.collision.report import (
    CollisionPairInfo,
    CollisionReport,
    Contact,
)
from pyrave_openravepy.api.enums import *
from pyrave_openravepy.api.environment.drawings import GraphHandle
from pyrave_openravepy.api.environment.environment import Environment
from pyrave_openravepy.api.foundation.errors import (
    NotSupportedError,
    PlanningError,
    openrave_exception,
    planning_error,
)
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.logs import *
from pyrave_openravepy.api.foundation.options import options
from pyrave_openravepy.api.foundation.refusals import add_refusals
from pyrave_openravepy.api.functions.arrays import *
from pyrave_openravepy.api.functions.clocks import *
from pyrave_openravepy.api.functions.files import (
    RaveFindDatabaseFile,
    RaveFindLocalFile,
    RaveGetDataAccess,
    RaveGetHomeDirectory,
    RaveInvertFileLookup,
    RaveSetDataAccess,
)
from pyrave_openravepy.api.functions.meshes import computeConvexDecomposition
from pyrave_openravepy.api.functions.nearest import KDTree, max_pts_visit
from pyrave_openravepy.api.functions.plugins import *
from pyrave_openravepy.api.functions.process import *
from pyrave_openravepy.api.functions.rotations import *
from pyrave_openravepy.api.functions.transforms import *
from pyrave_openravepy.api.functions.units import *
from pyrave_openravepy.api.ik.answers import (
    IkFailureAccumulatorBase,
    IkFailureInfo,
    IkReturn,
)
from pyrave_openravepy.api.ik.parameterization import (
    IkParameterization,
    RaveGetIkTypeFromUniqueId,
)
from pyrave_openravepy.api.ik.solver import IkSolver
from pyrave_openravepy.api.instruments.controller import Controller, MultiController
from pyrave_openravepy.api.instruments.module import Module, SensorSystem
from pyrave_openravepy.api.instruments.physics_engine import PhysicsEngine
from pyrave_openravepy.api.instruments.sensor import Sensor
from pyrave_openravepy.api.instruments.space_sampler import SpaceSampler
from pyrave_openravepy.api.instruments.viewer import Viewer
from pyrave_openravepy.api.interface import Interface, ReadableInterface
from pyrave_openravepy.api.misc.arguments import OpenRAVEGlobalArguments
from pyrave_openravepy.api.motion.affine import *
from pyrave_openravepy.api.motion.planner import Planner
from pyrave_openravepy.api.motion.planner_status import PlannerProgress, PlannerStatus
from pyrave_openravepy.api.motion.specification import ConfigurationSpecification
from pyrave_openravepy.api.motion.trajectory import Trajectory
from pyrave_openravepy.api.openravepy_ext import *
from pyrave_openravepy.api.readables import Readable, SerializableData, UserData
from pyrave_openravepy.api.robots.robot import Robot

__build_doc__ = False
"""Scripts for old versions ask it; nothing here is loaded to write documentation."""

__version__ = "0.149.1"
"""The version of OpenRAVE whose API this is."""

openravepy = _sys.modules[__name__]
"""The module itself, for scripts that import no more than its star."""

__all__ = [name for name in dir() if not name.startswith("_")]

add_refusals()
