"""Databases: what is computed once about arms and bodies, on many machines, and kept.

``database``, ``status``, ``subjects``
    `Database`, the base of all kinds: key, parameters, file, build.
``kinds``
    The kinds by name, as the command line has them.
``grasp_database``, ``ik_statistics``
    Grasps of a body by a hand; how often inverse kinematics succeeds.
``convex_decomposition``
    Convex hulls that stand for the links of a body.
``link_statistics``, ``joint_spheres``
    Sizes of what joints move: weights and resolutions.
``visibility_model``
    Poses from which a camera sees a part.
``reachability``, ``inverse_reachability``
    Poses that a tool reaches, and where a base stands for poses of a tool.
``reach``
    The search for them, and what is made of its results.
``keys``
    Digests of what results depend on.
``jobs``, ``build``, ``memory``
    A database on a world of its own; parts that are kept until all are there.
``engine``, ``worker_processes``, ``dask_engine``
    Executors: this process, others, and the workers of a Dask scheduler.
``store``
    Files, whole or not there, read without executing anything.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.databases.convex_decomposition import ConvexDecomposition, Hull
    from pyrave.databases.database import Database
    from pyrave.databases.grasp_database import GraspDatabase
    from pyrave.databases.ik_statistics import IkStatistics
    from pyrave.databases.inverse_reachability import (
        BasePlacement,
        InverseReachability,
    )
    from pyrave.databases.keys import (
        arm_digest,
        body_digest,
        geometry_digest,
        hand_digest,
        kinematics_digest,
    )
    from pyrave.databases.kinds import database_class
    from pyrave.databases.link_statistics import LinkStatistics
    from pyrave.databases.reach.base_distribution import BaseDistribution
    from pyrave.databases.reachability import Reachability
    from pyrave.databases.status import DatabaseStatus
    from pyrave.databases.store import database_folder
    from pyrave.databases.visibility_model import VisibilityModel

__all__ = [
    "BaseDistribution",
    "BasePlacement",
    "ConvexDecomposition",
    "Database",
    "DatabaseStatus",
    "GraspDatabase",
    "Hull",
    "IkStatistics",
    "InverseReachability",
    "LinkStatistics",
    "Reachability",
    "VisibilityModel",
    "arm_digest",
    "body_digest",
    "database_class",
    "database_folder",
    "geometry_digest",
    "hand_digest",
    "kinematics_digest",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "reach.base_distribution": "BaseDistribution",
        "convex_decomposition": "ConvexDecomposition Hull",
        "database": "Database",
        "grasp_database": "GraspDatabase",
        "ik_statistics": "IkStatistics",
        "inverse_reachability": "BasePlacement InverseReachability",
        "keys": "arm_digest body_digest geometry_digest hand_digest kinematics_digest",
        "kinds": "database_class",
        "link_statistics": "LinkStatistics",
        "reachability": "Reachability",
        "status": "DatabaseStatus",
        "store": "database_folder",
        "visibility_model": "VisibilityModel",
    },
)
