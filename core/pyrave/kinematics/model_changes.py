"""Models of edited bodies: only the parts that an edit touches are compiled again."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.kinematics.compilation import adjacent_pairs, compile_body
from pyrave.kinematics.model import Model

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription, LinkDescription
    from pyrave.spatial import Array

# what a model computes when it is first asked for, by the part that it depends on
_OF_INERTIA = frozenset({"motion_tree", "motion_table", "no_wrenches"})
_OF_ADJACENCY = frozenset({"adjacent_links", "non_adjacent_links"})
_KEY = "_versions"

_count = itertools.count(1)


class ModelVersions(NamedTuple):
    """Numbers of the parts of a model; equal numbers mean equal parts.

    A number stands for one compilation in this process and is never used again.

    Parameters
    ----------
    tree
        Joints, links and what moves what; joint limits as described, too.
    inertia
        Masses, centres of mass, inertias and what has weight.
    adjacency
        Pairs of links whose self collision is never checked.
    """

    tree: int
    inertia: int
    adjacency: int


def model_versions(model: Model) -> ModelVersions:
    """Return the versions of a model's parts.

    Clones of a body share its model and thereby the versions; models that are compiled
    from equal descriptions do not.
    """
    state = vars(model)
    found = state.get(_KEY)
    if found is None:
        # `setdefault` is atomic: all threads get one answer
        number = next(_count)
        found = state.setdefault(_KEY, ModelVersions(number, number, number))
    assert isinstance(found, ModelVersions)  # noqa: S101 - nothing else is kept there
    return found


def recompile(model: Model, before: BodyDescription, after: BodyDescription) -> Model:
    """Return the model of an edited description.

    An edit of masses or of adjacency leaves the tree as it is: the new model shares
    its arrays and all that was computed from them.

    Parameters
    ----------
    model
        The compiled model of `before`.
    before, after
        Descriptions with the same links and joints in the same order.

    Raises
    ------
    SceneError
        The new description contradicts itself.
    """
    if after is before:
        return model
    if _tree_edited(before, after) or len(after.links) == 1:
        return compile_body(after)
    links = [
        (i, new)
        for i, (new, old) in enumerate(zip(after.links, before.links, strict=True))
        if new is not old
    ]
    made = Model.__new__(Model)
    state = vars(made)
    state.update(vars(model))
    versions = model_versions(model)
    number = next(_count)
    if any(_weighs_otherwise(link, before.links[i]) for i, link in links):
        _set_inertia(made, links)
        versions = versions._replace(inertia=number)
        _forget(made, _OF_INERTIA)
    if _adjacency_edited(model, links, before, after):
        _set_adjacency(made, links, after)
        versions = versions._replace(adjacency=number)
        _forget(made, _OF_ADJACENCY)
    state[_KEY] = versions
    return made


def at_rest_values(model: Model, values: Array) -> Model:
    """Return a model whose passive joints rest at other values.

    Parameters
    ----------
    values
        (n_values,) of which those of passive axes that follow no other count.
    """
    rest = np.where(model.passive_values, values, model.rest_values)
    rest.flags.writeable = False
    return replace(model, rest_values=rest)


def _tree_edited(before: BodyDescription, after: BodyDescription) -> bool:
    if after.joints is not before.joints or len(after.links) != len(before.links):
        return True
    return any(
        new is not old
        and (new.name != old.name or new.pose != old.pose or new.static != old.static)
        for new, old in zip(after.links, before.links, strict=True)
    )


def _weighs_otherwise(new: LinkDescription, old: LinkDescription) -> bool:
    return new.inertial != old.inertial or new.dynamics.gravity != old.dynamics.gravity


def _adjacency_edited(
    model: Model,
    links: list[tuple[int, LinkDescription]],
    before: BodyDescription,
    after: BodyDescription,
) -> bool:
    return (
        after.adjacent != before.adjacent
        or after.joined_links_adjacent != before.joined_links_adjacent
        or any(bool(link.geometries) != model.has_geometry[i] for i, link in links)
    )


def _set_inertia(model: Model, links: list[tuple[int, LinkDescription]]) -> None:
    masses, coms, inertias = (
        model.masses.copy(),
        model.coms.copy(),
        model.inertias.copy(),
    )
    weighs = model.link_weighs.copy()
    for i, link in links:
        masses[i] = link.inertial.mass
        coms[i] = link.inertial.com
        inertias[i].flat = link.inertial.inertia
        weighs[i] = link.dynamics.gravity
    _put(model, masses=masses, coms=coms, inertias=inertias, link_weighs=weighs)


def _set_adjacency(
    model: Model, links: list[tuple[int, LinkDescription]], after: BodyDescription
) -> None:
    has_geometry = model.has_geometry.copy()
    for i, link in links:
        has_geometry[i] = bool(link.geometries)
    _put(
        model,
        has_geometry=has_geometry,
        given_adjacent=adjacent_pairs(after, model.link_index),
    )
    vars(model)["joined_links_adjacent"] = after.joined_links_adjacent


def _put(model: Model, **arrays: np.ndarray) -> None:
    for array in arrays.values():
        array.flags.writeable = False
    vars(model).update(arrays)


def _forget(model: Model, names: frozenset[str]) -> None:
    for name in names:
        vars(model).pop(name, None)
