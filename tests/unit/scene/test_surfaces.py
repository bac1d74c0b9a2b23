"""Tables of pairs of materials: made of what single ones have, and taken apart."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyrave
from pyrave.scene import (
    ContactMaterial,
    ContactProperties,
    Friction,
    Restitution,
    Surface,
)
from pyrave.scene.surfaces import (
    MOST_SURFACES,
    completed,
    geometric_mean,
    sliding_of,
    tabulated,
    unruled,
)

_coefficients = st.none() | st.floats(0.0, 1e3)
_fractions = st.none() | st.floats(0.0, 1.0)


@given(
    st.lists(
        st.builds(
            Surface,
            st.text("abcd", min_size=1),
            _coefficients,
            _coefficients,
            _fractions,
        ),
        max_size=5,
        unique_by=lambda one: one.name,
    )
)
def test_tables_hold_each_pair_once_and_follow_their_rule(surfaces):
    table = tabulated(surfaces, geometric_mean)
    rough = [one for one in surfaces if one.friction is not None]
    elastic = [one for one in surfaces if one.restitution is not None]
    assert len(table.friction) == len(rough) * (len(rough) + 1) // 2
    assert len(table.restitution) == len(elastic) * (len(elastic) + 1) // 2
    own = {one.name: one for one in surfaces}
    for pair in table.friction:
        product = own[pair.first].friction * own[pair.second].friction
        assert pair.coefficient == pytest.approx(
            math.sqrt(product), abs=1e-150, rel=1e-12
        )
    for pair in table.restitution:
        assert 0.0 <= pair.coefficient <= 1.0
    names = [one.name for one in surfaces]
    rest = unruled(table, geometric_mean, names, names)
    assert rest.friction == rest.restitution == ()
    assert unruled(table, geometric_mean, (), ()) == table


def test_what_slides_has_a_coefficient_of_its_own():
    table = tabulated([Surface("a", 0.4, 0.1), Surface("b", 0.9)], min)
    assert [(one.coefficient, one.parameters) for one in table.friction] == [
        (0.4, (("Mud", (0.1,)),)),
        (0.4, (("Mud", (0.1,)),)),
        (0.9, ()),
    ]


@pytest.mark.parametrize(
    "pair",
    [
        Friction("a", "b", 0.5),
        Friction("a", "b", 0.6, model="Stribeck"),
        Friction("b", "a", 0.6, parameters=(("muS", (1.0,)),)),
        Friction("a", "b", 0.6, parameters=(("Mud", (0.1,)),)),
        Friction("a", "c", 0.4),
    ],
)
def test_other_pairs_are_left(pair):
    known = (Friction("a", "a", 0.4), Friction("b", "b", 0.9))
    properties = ContactProperties(friction=(*known, pair))
    assert unruled(properties, geometric_mean, "abc", "").friction == (pair,)
    plain = ContactProperties(friction=(*known, Friction("b", "a", 0.6)))
    assert unruled(plain, geometric_mean, "abc", "").friction == ()


def test_restitution_that_counts_is_compared():
    own = (Restitution("a", "a", 0.25), Restitution("b", "b", 1.0))
    late = Restitution("b", "a", 0.1)
    properties = ContactProperties(restitution=(*own, Restitution("a", "b", 0.5), late))
    assert unruled(properties, geometric_mean, "", "ab").restitution[-1] == late
    plain = ContactProperties(restitution=(*own, Restitution("a", "b", 0.5)))
    assert unruled(plain, geometric_mean, "", "ab").restitution == ()


def test_tables_have_an_end():
    many = [Surface(str(number), 0.5) for number in range(MOST_SURFACES + 5)]
    assert len(tabulated(many, min).materials) == MOST_SURFACES


def scene_of(name, friction, restitution):
    return tabulated([Surface(name, friction, None, restitution)], min)


def test_two_scenes_know_what_their_materials_have_together():
    first, second = scene_of("ice", 0.04, 0.25), scene_of("rubber", 1.0, 1.0)
    env = pyrave.Environment()
    for properties in (first, second):
        env.add_scene(pyrave.SceneDescription(contact_properties=properties))
    found = {
        (one.first, one.second): one.coefficient
        for one in env.contact_properties.friction
    }
    assert found[("ice", "rubber")] == pytest.approx(0.2)
    assert env.contact_properties.restitution[-1] == Restitution("ice", "rubber", 0.5)


def test_two_scenes_know_what_slides_on_each_other():
    first = tabulated([Surface("ice", 0.04, 0.01)], min)
    second = scene_of("rubber", 1.0, None)
    joined = ContactProperties(friction=(*first.friction, *second.friction))
    law = completed(joined, first, second).friction[-1]
    assert law.coefficient == pytest.approx(0.2)
    assert sliding_of(law) == pytest.approx(0.1)


@pytest.mark.parametrize("value", [-0.1, math.nan])
def test_what_slides_with_no_coefficient_has_the_static_one(value):
    assert sliding_of(Friction("a", "a", 0.4, parameters=(("Mud", (value,)),))) == 0.4


def test_pairs_that_a_scene_lists_are_not_made_up():
    known = Friction("rubber", "ice", 0.7)
    first = scene_of("ice", 0.04, None)
    second = ContactProperties(
        (ContactMaterial("rubber"),), friction=(Friction("rubber", "rubber", 1), known)
    )
    joined = ContactProperties(friction=(*first.friction, *second.friction))
    assert completed(joined, first, second) is joined
