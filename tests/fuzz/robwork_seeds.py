"""A WorkCell and a Dynamic WorkCell with everything in them, for fuzzing."""

from __future__ import annotations

from mesh_seeds import words

__all__ = ["DYNAMIC", "ROBWORK_WORDS", "WORKCELLS"]

WORKCELLS = (
    b"""<WorkCell name="all">
<Frame name="Floor"><Drawable name="f"><Plane/></Drawable></Frame>
<Frame name="Hand" type="Movable"/>
<Frame name="Box" type="Movable"><RPY>0 0 0</RPY><Pos>3 0 1</Pos>
<Property name="Camera" type="string">40 64 48</Property>
<Drawable name="b"><RGB>1 0 0</RGB><Box x="0.2" y="0.1" z="0.3"/></Drawable></Frame>
<Frame name="Lid" refframe="Box"><Drawable name="l" colmodel="Disabled">
<Cylinder radius="0.1" z="0.1"/></Drawable></Frame>
<Frame name="Cup" type="Movable"><Drawable name="c"><Cone radius="0.1" z="0.1"/>
</Drawable></Frame>
<SerialDevice name="A"><Frame name="Base"><Drawable name="g"><Sphere radius="0.1"/>
</Drawable></Frame><Joint name="J0" type="Revolute"><RPY>0 0 90</RPY><Pos>0 0 0.1</Pos>
<PosLimit min="-90" max="90"/><VelLimit max="10"/></Joint>
<DHJoint name="J1" alpha="90" a="0.1" d="0.2" offset="0"/>
<Joint name="J2" type="Prismatic"><Depend on="J1" gain="0.5" offset="0"/></Joint>
<Frame name="TCP"/><Drawable name="d" refframe="J0"><Tube radius="0.1" thickness="0.01"
z="0.1"/></Drawable><Q name="Home">0.1 0.2</Q></SerialDevice>
<TreeDevice name="T"><Frame name="B"/><Joint name="U" type="Universal"/>
<Frame name="E" type="EndEffector"/></TreeDevice>
<Property name="p" type="Q">1 2</Property></WorkCell>""",
)
_MASS = b"<Mass>2</Mass><COG>0 0 0.1</COG><Inertia>1 2 3</Inertia>"
_RIGID = b"<Mass>2</Mass><EstimateInertia/><Integrator>Euler</Integrator>"
DYNAMIC = (
    b"""<DynamicWorkCell workcell="cell.wc.xml"><PhysicsEngine>
<AutoDisable>true</AutoDisable><Property name="WorldERP" type="float">0.3</Property>
<Property name="n" type="int">3</Property><Property name="q" type="Q">1 2</Property>
</PhysicsEngine><Gravity>0 0 -9.82</Gravity><MaterialData><Default>Plastic</Default>
<Material id="Plastic"><Description>d</Description></Material></MaterialData>
<ObjectTypeData><Default>hard</Default><ObjectType id="hard"/></ObjectTypeData>
<FrictionMap><Pair first="Plastic" second="Plastic"><FrictionData type="Coulomb">
<Mu>0.4</Mu><Mud>0.3</Mud></FrictionData><FrictionData type="Stribeck"><vs>1 2</vs>
</FrictionData></Pair></FrictionMap><ContactMap><Pair first="hard" second="hard">
<ContactData type="Newton"><cr>0.5</cr></ContactData></Pair></ContactMap>
<FixedBody frame="Floor"><MaterialID>Plastic</MaterialID>
<Property name="Conveyor" type="Q">1 0 0</Property></FixedBody>
<KinematicBody frame="Hand"><MaterialID>Plastic</MaterialID></KinematicBody>
<RigidBody frame="Box">"""
    + _RIGID
    + b"""<Associate object="Lid"/><ObjectID>hard</ObjectID>
<Property name="LinearDamping" type="float">0.1</Property></RigidBody>
<RigidDevice device="A"><ForceLimit joint="J0">1</ForceLimit>
<ForceLimit joint="J1">2</ForceLimit><ForceLimit joint="J2">3</ForceLimit>
<FixedBase frame="Base"/><Link object="J0">"""
    + _RIGID
    + b'</Link><RigidJoint joint="J1">'
    + _MASS
    + b"""</RigidJoint></RigidDevice><KinematicDevice device="T"><RefBase body="Hand"/>
<KinematicJoint object="U">"""
    + _MASS
    + b"""</KinematicJoint></KinematicDevice>
<Constraint name="c" type="PrismaticUniversal" parent="Hand" child="Box"><Transform3D>
<RPY>1 0 0</RPY><Pos>1 2 3</Pos><Rotation3D>0 -1 0 1 0 0 0 0 1</Rotation3D>
</Transform3D><Limits><Limit low="-1"/><Limit high="2"/></Limits></Constraint>
<Spring constraint="c"><Compliance>1 0 0 0 1 0 0 0 1</Compliance>
<Damping>1 0 0 0 1 0 0 0 1</Damping></Spring>
<FTSensor name="f" body="A.Base" body1="A.J0"><RefFrame>A.TCP</RefFrame></FTSensor>
<BodyContactSensor name="b" body="Box"/><TactileArraySensor frame="Hand"><Name>t</Name>
<Pos>0 0 0</Pos><RPY>90 0 0</RPY><TexelArray>1 2</TexelArray>
<TexelHeightMap>0 1 2 3 4 5</TexelHeightMap><TexelSize>0.1 0.1</TexelSize>
<MaxForce>10</MaxForce><MinForce>0</MinForce></TactileArraySensor>
<PDDeviceController name="p" device="A" type="Position"><Sync>off</Sync>
<PDParams>10 0.1 1 1</PDParams><TimeStep>0.01</TimeStep></PDDeviceController>
<PoseDeviceController name="o" device="A"><TimeStep>0.1</TimeStep>
</PoseDeviceController><SerialDeviceController name="s" device="A"/>
<SpringJointController name="j" device="A"><SpringParams>1 2 3 4 5 6</SpringParams>
<TimeStep>0.1</TimeStep></SpringJointController>
<SuctionCup name="u"><Radius>0.1</Radius><Height>0.1</Height>
<SpringParamsOpen>1 2 3 4 5</SpringParamsOpen>
<SpringParamsClosed>1 2 3 4 5</SpringParamsClosed><FixedBase frame="Lid"/>
<End frame="Cup">"""
    + _MASS
    + b"""<Integrator>Euler</Integrator></End><Offset><Pos>0 0 1</Pos></Offset>
</SuctionCup></DynamicWorkCell>""",
)
ROBWORK_WORDS = words(
    ["Frame", "Joint", "DHJoint", "SerialDevice", "TreeDevice", "ParallelDevice"],
    ["MobileDevice", "Drawable", "Property", "Depend", "PosLimit", "Q", "SerialChain"],
    ["RigidBody", "FixedBody", "KinematicBody", "RigidDevice", "Link", "RefBase"],
    ["Constraint", "Spring", "Mass", "COG", "Include", "Define", "Use", "Default"],
    ["name", "refframe", "type", "frame", "object", "joint", "device", "body", "file"],
    [
        "Floor",
        "Hand",
        "Box",
        "Lid",
        "Cup",
        "A",
        "T",
        "A.J0",
        "J0",
        "J1",
        "TCP",
        "WORLD",
    ],
    ["Movable", "Fixed", "Universal", "Spherical", "Free", "Revolute", "cell.wc.xml"],
    ["0", "0.5", "1e308", "inf", "nan", "-1", "1 2 3", "1_0", "true", "<!--", "--"],
)
