"""Hypothesis strategies for what scenes hold for simulation."""

import dataclasses

from hypothesis import strategies as st

from pyrave.scene import (
    CONSTRAINT_FREEDOMS,
    ConstraintDescription,
    ContactMaterial,
    ContactProperties,
    ContactSensor,
    ControllerDescription,
    ForceTorqueSensor,
    FrameDescription,
    Friction,
    Limits,
    LinkDynamics,
    LinkReference,
    Restitution,
    SimulationDescription,
    Spring,
    SuctionCup,
    SuctionSpring,
    TactileArray,
)

__all__ = [
    "constraints",
    "contact_properties",
    "frames",
    "link_dynamics",
    "settings",
    "simulations",
    "with_simulation_data",
]

_NAME = st.sampled_from(["steel", "Gummi 手", "a&b"])
_SIZE = st.floats(0.0, 1e6)
_NUMBER = st.floats(-1e6, 1e6)
settings = st.lists(
    st.tuples(_NAME, st.just("text") | st.lists(_NUMBER, max_size=3).map(tuple)),
    max_size=2,
    unique_by=lambda setting: setting[0],
).map(tuple)
_pairs = st.lists(
    st.builds(
        Friction,
        _NAME,
        _NAME,
        _SIZE,
        st.sampled_from(["Coulomb", "Stribeck"]),
        st.just(()) | st.just((("muS", (0.5, 1.0)),)),
    ),
    max_size=2,
)
contact_properties = st.builds(
    ContactProperties,
    st.lists(st.builds(ContactMaterial, _NAME, st.just("") | _NAME)).map(tuple),
    st.lists(st.builds(ContactMaterial, _NAME), max_size=2).map(tuple),
    _pairs.map(tuple),
    st.lists(st.builds(Restitution, _NAME, _NAME, st.floats(0.0, 1.0)), max_size=2).map(
        tuple
    ),
    st.just("") | _NAME,
    st.just("") | _NAME,
)


def frames(links, poses):
    """Return a strategy for frames on some of the links."""
    one = st.builds(FrameDescription, _NAME, st.sampled_from(links), poses)
    return st.lists(one, max_size=2, unique_by=lambda frame: frame.name).map(tuple)


@st.composite
def constraints(draw, ends, poses):
    """Make constraints between different ends, `LinkReference` objects."""
    names = draw(st.lists(_NAME, max_size=2, unique=True))
    made = []
    for name in names:
        kind = draw(st.sampled_from(sorted(CONSTRAINT_FREEDOMS)))
        parent, child = draw(st.permutations(ends))[:2]
        n = len(CONSTRAINT_FREEDOMS[kind])
        row = tuple(draw(_SIZE) for _ in range(n))
        spring = st.just(Spring((row,) * n)) | st.just(Spring(damping=(row,) * n))
        made.append(
            ConstraintDescription(
                name,
                kind,
                parent,
                child,
                draw(poses),
                draw(
                    st.sampled_from([(), (Limits(-1.0),) * n, (Limits(0.0, 1.0),) * n])
                ),
                draw(st.none() | spring),
                collide=draw(st.booleans()),
            )
        )
    return tuple(made)


def _unique(parts):
    return st.lists(parts, max_size=2, unique_by=lambda one: one.name).map(tuple)


_fractions = st.floats(0.0, 1.0)
link_dynamics = st.builds(
    LinkDynamics,
    st.just("") | _NAME,
    _fractions,
    _fractions,
    st.tuples(_NUMBER, _NUMBER, _NUMBER),
    st.booleans(),
)
_springs = st.builds(SuctionSpring, *[_SIZE] * 5)


def simulations(bodies, ends, poses, joints=("j",)):
    """Return a strategy for what is about some bodies, their links and joints."""
    some = st.lists(st.sampled_from(joints), max_size=1) if joints else st.just([])
    body, end = st.sampled_from(bodies), st.sampled_from(ends)
    grids = st.integers(2, 3).flatmap(
        lambda n: st.lists(
            st.tuples(*[_NUMBER] * n), min_size=2, max_size=3
        ).map(tuple)
    )  # fmt: skip
    sensors = (
        st.builds(ForceTorqueSensor, _NAME, end, end, end, poses)
        | st.builds(ContactSensor, _NAME, end)
        | st.builds(
            TactileArray,
            _NAME,
            end,
            poses,
            grids,
            st.tuples(_SIZE, _SIZE),
            _fractions,
            st.floats(1.0, 1e6),
        )
    )
    controllers = st.builds(
        ControllerDescription,
        _NAME,
        st.just("pd"),
        body,
        some.map(tuple),
        mode=st.sampled_from(["position", "force"]),
        gains=st.just(()) | st.tuples(st.tuples(_NUMBER, _NUMBER)),
        time_step=_SIZE,
    )
    cups = st.builds(
        SuctionCup, _NAME, end, end, _SIZE, _SIZE, _springs, _springs, poses
    )
    return st.builds(
        SimulationDescription,
        st.lists(
            st.tuples(_NAME, st.just("text") | st.tuples(_NUMBER)),
            max_size=2,
            unique_by=lambda one: one[0],
        ).map(tuple),
        _unique(controllers),
        _unique(sensors),
        _unique(cups),
    )


@st.composite
def with_simulation_data(draw, scenes, poses):
    """Give scenes of bodies constraints, frames, materials and kinematic links."""
    scene = draw(scenes)
    bodies = []
    for body in scene.bodies:
        names = [link.name for link in body.links]
        links = tuple(
            dataclasses.replace(
                link,
                kinematic=draw(st.booleans()),
                material=draw(st.just("") | _NAME),
                object_type=draw(st.just("") | _NAME),
                dynamics=draw(st.just(LinkDynamics()) | link_dynamics),
            )
            for link in body.links
        )
        fixed = draw(frames(["", *names], poses))
        bodies.append(dataclasses.replace(body, links=links, frames=fixed))
    ends = [LinkReference(one.name, link.name) for one in bodies for link in one.links]
    return dataclasses.replace(
        scene,
        bodies=tuple(bodies),
        frames=draw(frames([""], poses)),
        constraints=draw(constraints([LinkReference(), *ends], poses)) if ends else (),
        contact_properties=draw(contact_properties),
        simulation=draw(simulations([one.name for one in bodies], ends, poses, ()))
        if ends
        else SimulationDescription(),
    )
