"""Hypothesis strategies that make whole scene descriptions.

`any_scenes` gives whatever a description may hold; `built_scenes` such as an
environment can be built from: trees of links whose joints stand where the links are.
"""

from __future__ import annotations

import dataclasses
import math

from hypothesis import strategies as st
from simulation_strategies import (
    constraints,
    contact_properties,
    frames,
    link_dynamics,
    settings,
    simulations,
    with_simulation_data,
)

from pyrave.formats.openrave_xml.builders.item_builders import joint_motion
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    Cage,
    CameraView,
    Capsule,
    ConfigurationDescription,
    ContactDescription,
    Container,
    Cylinder,
    GeometryDescription,
    GrabDescription,
    IgnoredPair,
    Inertial,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    JointPath,
    LinkDescription,
    LinkDynamics,
    LinkReference,
    ManipulatorDescription,
    Material,
    MeshData,
    MeshReference,
    MimicFormula,
    NoShape,
    PluginReference,
    Pose,
    Prism,
    RenderMesh,
    RobotDescription,
    SceneDescription,
    SimulationDescription,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
)

__all__ = ["any_scenes", "built_scenes", "single_objects"]

_TINY = (5e-324, 2.2250738585072014e-308, 1e-300, 1e-30)
_ODD = (*_TINY, 0.1 + 0.2, 1e30, 3.0000000000000004)
number = st.one_of(
    st.floats(-100, 100), st.sampled_from([*_ODD, *(-x for x in _ODD), -0.0])
)
size = st.one_of(st.floats(0, 50), st.sampled_from([*_ODD, 0.0]))
bound = st.sampled_from([0.0, 5e-324, 1e300, math.inf]) | st.floats(0, 5)
plain_number = st.floats(-3, 3).map(lambda x: round(x, 3))
plain_size = st.floats(0.01, 3).map(lambda x: round(x, 3))

# Letters, one that goes to the left, quotes, what XML escapes, a combining mark, a
# robot.
_LETTERS = "abXY09_-.é手ß&<>'\"]/\\:;%#\u0301\u05d0\ufffd\U0001f916"
word = st.text(_LETTERS, min_size=1, max_size=6)
text = st.text("ab <&>'\"\n\t\ré]手", max_size=8)
angle = st.floats(-7, 7)


def _unit(v):
    n = math.sqrt(sum(x * x for x in v))
    return tuple(x / n for x in v) if n > 1e-3 else (0.0, 0.0, 1.0)


axis = st.tuples(*[st.floats(-1, 1)] * 3).map(_unit)


def poses(numbers):
    return st.one_of(
        st.just(Pose()),
        st.builds(Pose.from_axis_angle, axis, angle, st.tuples(*[numbers] * 3)),
        st.builds(Pose.from_translation, numbers, numbers, numbers),
    )


def triples(values):
    return st.tuples(values, values, values)


file_name = st.sampled_from(["missing.iv", "no such/mesh a.stl", "x 2.wrl", "é/手.iv"])
reference = file_name.flatmap(
    lambda name: st.builds(
        MeshReference, st.just(name), triples(size.filter(bool)), found=st.just(False)
    )
)
mesh_data = st.lists(triples(number), min_size=3, max_size=5).map(
    lambda v: MeshData(v, [[0, 1, 2], [0, 2, 1]])
)
mesh = st.one_of(reference, mesh_data, st.just(MeshData([], [])))


def shapes(sizes, numbers, meshes):
    three, pose = triples(sizes), poses(numbers)
    return st.one_of(
        st.just(NoShape()),
        st.builds(Box, three),
        st.builds(Sphere, sizes),
        st.builds(Cylinder, sizes, sizes),
        st.builds(Capsule, sizes, sizes),
        st.builds(Container, three, three, three, three),
        st.builds(Cage, three, st.lists(st.tuples(pose, three), max_size=2).map(tuple)),
        st.builds(
            Prism,
            st.lists(st.tuples(numbers, numbers), min_size=3, max_size=5).map(tuple),
            sizes,
        ),
        st.builds(TriMesh, meshes),
    )


leaf = st.builds(
    XmlElement,
    st.sampled_from(["tOwn", "t-x", "tÉ", "t.2"]),
    st.dictionaries(st.sampled_from(["a", "B", "c"]), text.map(lambda s: s[:4])).map(
        lambda found: tuple(found.items())
    ),
    text,
)
tree = st.builds(
    lambda one, children: dataclasses.replace(one, children=children, text=""),
    leaf,
    st.lists(
        st.builds(
            # blanks between elements mean nothing
            lambda one, tail: dataclasses.replace(
                one, tail=tail if tail.strip() else ""
            ),
            leaf,
            text,
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
)
# few tags, so that they repeat
readables = st.lists(st.one_of(leaf, tree), max_size=3).map(
    lambda found: tuple((e.tag.lower(), XmlReadable(e)) for e in found)
)
actuator = st.none() | leaf.map(
    lambda one: XmlReadable(dataclasses.replace(one, tag="actuator"))
)
commands = st.sampled_from([(), ("do it", "again 1"), (" blanks around ",)])


def geometries(sizes, numbers, meshes):
    color = st.none() | triples(st.floats(0, 1))
    return st.builds(
        GeometryDescription,
        shapes(sizes, numbers, meshes),
        st.just("") | word,
        poses(numbers),
        st.builds(Material, color, color, st.sampled_from([0.0, 0.5, 1 / 3])),
        st.none() | st.builds(RenderMesh, meshes),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["self", "other"]),
        readables,
    )


def contacts(sizes, numbers, meshes):
    shape = st.one_of(
        st.builds(Box, triples(sizes)),
        st.builds(Sphere, sizes),
        st.builds(Cylinder, sizes, sizes),
        st.builds(TriMesh, meshes),
    )
    return st.builds(
        ContactDescription, shape, st.just("") | word, poses(numbers), bound
    )


def inertials(sizes, numbers):
    return st.one_of(
        st.just(Inertial()),
        st.builds(Inertial, sizes, triples(numbers), st.tuples(*[numbers] * 9)),
    )


any_link = st.builds(
    LinkDescription,
    word,
    poses(number),
    st.lists(geometries(size, number, mesh), max_size=2).map(tuple),
    inertials(size, number),
    st.booleans(),
    st.booleans(),
    readables,
    contacts=st.lists(contacts(size, number, mesh), max_size=2).map(tuple),
    kinematic=st.booleans(),
    dynamics=st.just(LinkDynamics()) | link_dynamics,
    material=st.just("") | word,
    object_type=st.just("") | word,
)
mimic = st.builds(MimicFormula, word, st.just("") | word, st.just("") | word)
any_axis = st.builds(
    JointAxis,
    axis,
    st.booleans(),
    bound.map(lambda x: -x),
    bound,
    st.booleans(),
    number,
    *[bound] * 8,
    size,
    st.floats(0.001, 1),
    st.integers(0, 3).flatmap(lambda kind: mimic if kind == 0 else st.none()),
    hard_lower=st.just(-math.inf) | number,
    hard_upper=st.just(math.inf) | number,
    damping=st.just(0.0) | size,
    friction=st.just(0.0) | size,
    stiffness=st.just(0.0) | size,
    rest=st.just(0.0) | number,
)
_AXES = dict.fromkeys(("universal", "hinge2", "rr", "rp", "pr", "pp"), 2)
_AXES |= {"hinge": 1, "slider": 1, "trajectory": 1, "spherical": 3, "fixed": 0}
paths = st.lists(st.floats(0, 9), min_size=2, max_size=3, unique=True).flatmap(
    lambda times: st.builds(
        JointPath,
        st.just(tuple(sorted(times))),
        st.tuples(*[poses(number)] * len(times)),
    )
)


@st.composite
def any_joints(draw, name, links):
    kind = draw(st.sampled_from([*_AXES, "compound"]))
    count = draw(st.integers(1, 6)) if kind == "compound" else _AXES[kind]
    ends = draw(st.permutations(links))[:2]
    axes = draw(st.lists(any_axis, min_size=count, max_size=count))
    return JointDescription(
        name,
        kind,
        *ends,
        draw(poses(number)),
        draw(poses(number)),
        tuple(axes),
        draw(st.booleans()),
        draw(st.none() | leaf.map(XmlReadable) | actuator),
        draw(readables),
        path=draw(paths) if kind == "trajectory" else None,
        closes_loop=draw(st.booleans()),
    )


def dof(joints):
    """Return how many degrees of freedom the joints of a body have."""
    return sum(
        len(joint.axes)
        for joint in joints
        if joint.active and not any(axis.mimic for axis in joint.axes)
    )


def unique(items, most=2):
    return st.lists(items, max_size=most, unique_by=lambda one: one.name).map(tuple)


def hints(joints):
    """Make hints for solvers as COLLADA has them."""
    free = st.builds(
        lambda joint, step: XmlElement(
            "free_joint", (("joint", joint), *((("stepsize", step),) if step else ()))
        ),
        st.sampled_from(joints),
        st.sampled_from(["", "0.1"]),
    )
    hint = st.builds(
        lambda kind, inner: XmlElement(
            "iksolver", (("type", kind),) if kind else (), children=tuple(inner)
        ),
        st.sampled_from(["", "Transform6D", "Translation3D"]),
        st.lists(free, max_size=2) if joints else st.just([]),
    )
    return st.lists(hint, min_size=1, max_size=2).map(
        lambda found: tuple((one.tag, XmlReadable(one)) for one in found)
    )


def sensors(links, numbers):
    return st.builds(
        AttachedSensorDescription,
        word,
        st.sampled_from(links),
        poses(numbers),
        st.sampled_from(["", "NoLaser 1"]),
        st.just("") | word,
        readables,
        commands,
    )


def configurations(joints, numbers):
    """Make named configurations of some of the joints with degrees of freedom."""
    moving = [joint for joint in joints if dof([joint])]
    values = [
        st.tuples(st.just(joint.name), st.tuples(*[numbers] * dof([joint])))
        for joint in moving
    ]
    some = st.tuples(*values).map(lambda found: found[-2:])
    return unique(st.builds(ConfigurationDescription, word, some))


@st.composite
def any_bodies(draw, name):
    links = draw(st.lists(any_link, max_size=3, unique_by=lambda one: one.name))
    names = [one.name for one in links]
    joints = []
    if len(links) > 1:
        taken = draw(st.lists(word, max_size=3, unique=True))
        joints += [draw(any_joints(one, names)) for one in taken]
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)) if names else None
    count = dof(joints)
    common = {
        "pose": draw(poses(number)),
        "interface": draw(st.sampled_from(["", "Id arg 1"])),
        "uri": draw(st.sampled_from(["", "/some/where.xml"])),
        "dof_values": draw(st.tuples(*[number] * count)) or None
        if draw(st.integers(0, 3))
        else None,
        "adjacent": draw(st.frozensets(pairs, max_size=2)) if names else frozenset(),
        "joined_links_adjacent": draw(st.booleans()),
        "readables": draw(readables),
        "commands": draw(commands),
        "frames": draw(frames(["", *names], poses(number))),
    }
    if not draw(st.booleans()):
        return BodyDescription(name, tuple(links), tuple(joints), **common)
    manipulators = attached = ()
    if names:
        manipulator = st.builds(
            ManipulatorDescription,
            word,
            st.sampled_from(names),
            st.sampled_from(names),
            poses(number),
            axis,
            st.just(()) | st.just(tuple(j.name for j in joints)),
            st.lists(st.sampled_from([-1.0, 0.0, 1.0, 0.5]), max_size=2).map(tuple),
            st.sampled_from(["", "ikfast 0.05"]),
            readables=readables | hints([joint.name for joint in joints]),
        )
        manipulators = draw(unique(manipulator))
        attached = draw(unique(sensors(names, number)))
    return RobotDescription(
        name,
        tuple(links),
        tuple(joints),
        **common,
        manipulators=manipulators,
        attached_sensors=attached,
        configurations=draw(configurations(joints, number)),
    )


_TYPES = (
    *("sensor", "module", "planner", "physicsengine", "collisionchecker"),
    *("trajectory", "iksolver", "sensorsystem", "viewer", "spacesampler"),
)
any_interface = st.builds(
    InterfaceDescription,
    st.sampled_from(_TYPES),
    st.sampled_from(["Id", "Id 1 2"]),
    st.just("") | word,
    st.sampled_from(["", "a b", " x\n"]),
    pose=st.none() | poses(number),
    commands=commands,
    readables=readables,
    settings=settings,
)


def controllers(robots):
    return st.builds(
        InterfaceDescription,
        st.just("controller"),
        st.just("C"),
        robot=st.sampled_from(robots),
        joints=st.sampled_from([(), ("a", "b")]),
        control_transform=st.booleans(),
    )


plugin_references = st.builds(
    PluginReference,
    word,
    settings=st.sampled_from([(), (("rate", "50"), ("port", "a b"))]),
)


@st.composite
def any_scenes(draw):
    """Make scenes with everything that a description may hold."""
    names = draw(st.lists(word, max_size=3, unique=True))
    found = tuple(draw(any_bodies(name)) for name in names)
    others = draw(st.lists(any_interface, max_size=2))
    grabs = ()
    ends = [LinkReference(), *(LinkReference(name, "l") for name in names)]
    if names:
        others += draw(st.lists(controllers(names), max_size=1))
        held = st.builds(
            GrabDescription,
            st.sampled_from(names),
            word,
            st.sampled_from(names),
            st.just(()) | st.tuples(word),
            st.just(()) | st.tuples(word),
            st.just(()) | st.tuples(word),
        )
        grabs = tuple(draw(st.lists(held, max_size=1)))
    return SceneDescription(
        found,
        tuple(others),
        tuple(draw(st.lists(plugin_references, max_size=2))),
        draw(st.just("") | word),
        draw(st.none() | triples(number)),
        draw(st.none() | triples(size)),
        draw(st.none() | st.builds(CameraView, poses(number), size)),
        draw(st.sampled_from([("meter", 1.0), ("mm", 0.001), ("手", 5e-324)])),
        draw(readables),
        grabs=grabs,
        frames=draw(frames([""], poses(number))),
        constraints=draw(constraints(ends, poses(number))) if names else (),
        contact_properties=draw(contact_properties),
        simulation=draw(simulations(names, ends, poses(number)))
        if names
        else SimulationDescription(),
        ignored_pairs=draw(
            st.lists(st.builds(IgnoredPair, word, word, word, word), max_size=2).map(
                tuple
            )
        ),
    )


@st.composite
def single_objects(draw):
    """Make scenes that are one body or one interface without an environment."""
    if draw(st.booleans()):
        interface = draw(any_interface.filter(lambda one: one.pose is None))
        return SceneDescription(interfaces=(interface,), root=interface.type)
    body = draw(any_bodies(draw(word)))
    if not isinstance(body, RobotDescription):
        return SceneDescription((body,), root="kinbody")
    control = draw(st.lists(controllers([body.name]), max_size=1))
    return SceneDescription((body,), tuple(control), root="robot")


# -- scenes that can be built ----------------------------------------------------------

_KINDS = ("hinge", "slider", "universal", "hinge2", "spherical", "fixed")


@st.composite
def built_joints(draw, name, parent, child, earlier):
    kind = draw(st.sampled_from(_KINDS))
    circular = draw(st.booleans()) and kind == "hinge"
    high = draw(st.sampled_from([0.5, 1.5, math.inf]))
    resolution = draw(st.sampled_from([0.02, 0.1, math.radians(0.7)]))
    formula = None
    if earlier and kind == "hinge" and not circular and draw(st.booleans()):
        formula = MimicFormula(f"2*{earlier}")
    axes = tuple(
        JointAxis(
            draw(axis)
            if kind != "spherical"
            else tuple(float(i == k) for i in range(3)),
            kind == "slider",
            -high,
            high,
            circular,
            0.0 if kind == "spherical" else draw(st.sampled_from([0.0, 0.25])),
            *(draw(plain_size) for _ in range(8)),
            draw(plain_size),
            resolution,
            formula,
        )
        for k in range(_AXES[kind])
    )
    in_parent = draw(poses(plain_number))
    motion = joint_motion(axes, [one.initial for one in axes])
    in_child = child.pose.inverse() @ parent.pose @ in_parent @ motion
    active = bool(axes) and formula is None and draw(st.booleans())
    return JointDescription(
        name, kind, parent.name, child.name, in_parent, in_child, axes, active
    )


def free_joints(joints, end):
    """Return the joints of a tree that are not between its base and a link."""
    chain = set()
    for joint in reversed(joints):
        if joint.child == end:
            chain.add(joint.name)
            end = joint.parent
    return [joint for joint in joints if joint.name not in chain]


@st.composite
def built_bodies(draw, name):
    count = draw(st.integers(1, 4))
    meshes = mesh_data.map(
        lambda found: MeshData(
            found.vertices.clip(-3, 3)[found.faces].reshape(-1, 3), range(6)
        )
    )
    static = draw(st.booleans())
    links = [
        LinkDescription(
            f"l{index}手",
            Pose() if index == 0 else draw(poses(plain_number)),
            tuple(
                draw(st.lists(geometries(plain_size, plain_number, meshes), max_size=2))
            ),
            Inertial(draw(plain_size), (0.0, 0.0, 0.125)),
            static,
            draw(st.booleans()),
            contacts=tuple(
                draw(st.lists(contacts(plain_size, plain_number, meshes), max_size=1))
            ),
        )
        for index in range(count)
    ]
    joints = []
    for index in range(1, count):
        parent = links[draw(st.integers(0, index - 1))]
        simple = [
            joint.name
            for joint in joints
            if joint.type == "hinge" and joint.active and not joint.axes[0].circular
        ]
        earlier = simple[0] if simple else ""
        joint = draw(built_joints(f"j{index}", parent, links[index], earlier))
        joints.append(joint)
    names = [link.name for link in links]
    values = draw(st.booleans()) and dof(joints) > 0
    common = {
        "pose": draw(poses(plain_number)),
        "dof_values": (0.125,) * dof(joints) if values else None,
        "adjacent": frozenset({(names[0], names[-1])}) if count > 1 else frozenset(),
        "joined_links_adjacent": draw(st.booleans()),
        "readables": draw(readables),
    }
    if not draw(st.booleans()):
        return BodyDescription(name, tuple(links), tuple(joints), **common)
    gripper = [joint for joint in free_joints(joints, names[-1]) if joint.active][:1]
    closing = tuple(
        draw(st.sampled_from([-1.0, 0.0, 1.0])) for joint in gripper for _ in joint.axes
    )
    manipulator = ManipulatorDescription(
        "arm", names[0], names[-1], draw(poses(plain_number)), draw(axis),
        tuple(joint.name for joint in gripper), closing,
    )  # fmt: skip
    return RobotDescription(
        name,
        tuple(links),
        tuple(joints),
        **common,
        manipulators=(manipulator,),
        attached_sensors=draw(unique(sensors(names, plain_number))),
        configurations=draw(configurations(joints, plain_number)),
    )


def built_scenes():
    """Make scenes that an environment can be built from."""
    return with_simulation_data(_built_scenes(), poses(plain_number))


@st.composite
def _built_scenes(draw):
    names = draw(st.lists(word, min_size=1, max_size=3, unique=True))
    found = tuple(draw(built_bodies(name)) for name in names)
    grabs = ()
    if len(found) > 1 and draw(st.booleans()):
        holder = found[0]
        grabs = (GrabDescription(holder.name, holder.links[-1].name, names[1]),)
    ignored = ()
    if len(found) > 1 and draw(st.booleans()):
        one, other = sorted(found[:2], key=lambda body: body.name)
        ignored = (IgnoredPair(one.name, other.name, one.links[-1].name),)
    module = InterfaceDescription("module", "NoModule", draw(word), "a b")
    return SceneDescription(
        found,
        (module,) if draw(st.booleans()) else (),
        gravity=draw(st.none() | triples(plain_number)),
        camera=draw(st.none() | st.builds(CameraView, poses(plain_number))),
        background_color=draw(st.none() | triples(st.floats(0, 1))),
        grabs=grabs,
        ignored_pairs=ignored,
    )
