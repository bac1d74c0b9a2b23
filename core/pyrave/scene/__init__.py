"""The scene description: frozen, format-neutral data of what a file says.

Readers make it, writers consume it, `pyrave.Environment` builds objects from it.
Units are SI and radians. Locations and problems never take part in comparisons.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.scene.bases import has_bases, with_fixed_bases
    from pyrave.scene.body import (
        AttachedSensorDescription,
        BodyDescription,
        ConfigurationDescription,
        ConnectedBodyDescription,
        FrameDescription,
        GripperDescription,
        Inertial,
        JointAxis,
        JointDescription,
        JointPath,
        LinkDescription,
        LinkDynamics,
        ManipulatorDescription,
        MimicFormula,
        RobotDescription,
    )
    from pyrave.scene.body_factories import (
        body_from_boxes,
        body_from_geometries,
        body_from_mesh,
        body_from_spheres,
    )
    from pyrave.scene.comparison import same
    from pyrave.scene.composition import Composition, Part
    from pyrave.scene.contact import ContactDescription, ContactShape
    from pyrave.scene.default_names import with_names
    from pyrave.scene.description import (
        DEFAULT_GRAVITY,
        CameraView,
        GrabDescription,
        IgnoredPair,
        PluginReference,
        SceneDescription,
    )
    from pyrave.scene.geometry import (
        MESH_LOOK,
        Box,
        Cage,
        Capsule,
        Container,
        Cylinder,
        GeometryDescription,
        Material,
        MeshData,
        MeshReference,
        NoShape,
        Prism,
        RenderMesh,
        Shape,
        Sphere,
        Texture,
        TriMesh,
    )
    from pyrave.scene.glue import with_glue_fixed
    from pyrave.scene.interface import InterfaceDescription
    from pyrave.scene.link_tree import spanning_tree
    from pyrave.scene.location import Location
    from pyrave.scene.motor import Motor
    from pyrave.scene.physics import (
        CONSTRAINT_FREEDOMS,
        ConstraintDescription,
        ConstraintKind,
        ContactMaterial,
        ContactProperties,
        Friction,
        Limits,
        LinkReference,
        Restitution,
        Spring,
    )
    from pyrave.scene.pose import IDENTITY, Pose
    from pyrave.scene.readable import Readable, Readables, XmlElement, XmlReadable
    from pyrave.scene.revolved import revolved_shape
    from pyrave.scene.simulation import (
        ContactSensor,
        ControllerDescription,
        ControllerKind,
        ControlMode,
        ForceTorqueSensor,
        PhysicsSensor,
        SimulationDescription,
        SuctionCup,
        SuctionSpring,
        TactileArray,
    )
    from pyrave.scene.surfaces import Surface

__all__ = [
    "CONSTRAINT_FREEDOMS",
    "DEFAULT_GRAVITY",
    "IDENTITY",
    "MESH_LOOK",
    "AttachedSensorDescription",
    "BodyDescription",
    "Box",
    "Cage",
    "CameraView",
    "Capsule",
    "Composition",
    "ConfigurationDescription",
    "ConnectedBodyDescription",
    "ConstraintDescription",
    "ConstraintKind",
    "ContactDescription",
    "ContactMaterial",
    "ContactProperties",
    "ContactSensor",
    "ContactShape",
    "Container",
    "ControlMode",
    "ControllerDescription",
    "ControllerKind",
    "Cylinder",
    "ForceTorqueSensor",
    "FrameDescription",
    "Friction",
    "GeometryDescription",
    "GrabDescription",
    "GripperDescription",
    "IgnoredPair",
    "Inertial",
    "InterfaceDescription",
    "JointAxis",
    "JointDescription",
    "JointPath",
    "Limits",
    "LinkDescription",
    "LinkDynamics",
    "LinkReference",
    "Location",
    "ManipulatorDescription",
    "Material",
    "MeshData",
    "MeshReference",
    "MimicFormula",
    "Motor",
    "NoShape",
    "Part",
    "PhysicsSensor",
    "PluginReference",
    "Pose",
    "Prism",
    "Readable",
    "Readables",
    "RenderMesh",
    "Restitution",
    "RobotDescription",
    "SceneDescription",
    "Shape",
    "SimulationDescription",
    "Sphere",
    "Spring",
    "SuctionCup",
    "SuctionSpring",
    "Surface",
    "TactileArray",
    "Texture",
    "TriMesh",
    "XmlElement",
    "XmlReadable",
    "body_from_boxes",
    "body_from_geometries",
    "body_from_mesh",
    "body_from_spheres",
    "has_bases",
    "revolved_shape",
    "same",
    "spanning_tree",
    "with_fixed_bases",
    "with_glue_fixed",
    "with_names",
]


__getattr__, __dir__ = exports(
    __name__,
    {
        "bases": "has_bases with_fixed_bases",
        "body": "AttachedSensorDescription BodyDescription ConfigurationDescription "
        "ConnectedBodyDescription FrameDescription GripperDescription Inertial "
        "JointAxis JointDescription JointPath "
        "LinkDescription LinkDynamics ManipulatorDescription MimicFormula "
        "RobotDescription",
        "body_factories": "body_from_boxes body_from_geometries body_from_mesh "
        "body_from_spheres",
        "comparison": "same",
        "composition": "Composition Part",
        "contact": "ContactDescription ContactShape",
        "default_names": "with_names",
        "description": "CameraView DEFAULT_GRAVITY GrabDescription IgnoredPair "
        "PluginReference SceneDescription",
        "geometry": "Box Cage Capsule Container Cylinder GeometryDescription MESH_LOOK "
        "Material MeshData MeshReference NoShape Prism RenderMesh Shape Sphere "
        "Texture TriMesh",
        "glue": "with_glue_fixed",
        "interface": "InterfaceDescription",
        "location": "Location",
        "motor": "Motor",
        "physics": "CONSTRAINT_FREEDOMS ConstraintDescription ConstraintKind "
        "ContactMaterial ContactProperties Friction Limits LinkReference Restitution "
        "Spring",
        "pose": "IDENTITY Pose",
        "readable": "Readable Readables XmlElement XmlReadable",
        "revolved": "revolved_shape",
        "simulation": "ContactSensor ControlMode ControllerDescription "
        "ControllerKind ForceTorqueSensor PhysicsSensor SimulationDescription "
        "SuctionCup SuctionSpring TactileArray",
        "link_tree": "spanning_tree",
        "surfaces": "Surface",
    },
)
