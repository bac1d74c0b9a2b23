"""The ``<group_state>`` elements of a written SRDF: named configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_urdf.writing.numbers import add, numbers

if TYPE_CHECKING:
    from pyrave.formats import Losses
    from pyrave.scene import RobotDescription
    from pyrave_urdf.writing.tree import Tree

    Values = dict[str, tuple[float, ...]]


def add_states(root: Any, robot: RobotDescription, tree: Tree, losses: Losses) -> None:
    """Append the configurations that the states of an SRDF do not give already.

    States that are none any more are taken out. A state is one of a group: a
    configuration is written as several of its name where no group has all its joints.
    """
    wanted = {one.name: _written(one.values, tree) for one in robot.configurations}
    for element in root.findall("group_state"):
        name, group = element.get("name") or "", element.get("group") or ""
        said = {
            joint.get("name"): _floats(joint.get("value"))
            for joint in element.iterchildren("joint")
        }
        known = next((n for n in (f"{name} {group}", name) if n in wanted), None)
        rest = wanted.get(known, {}) if known else {}
        if known and all(rest.get(joint, its) == its for joint, its in said.items()):
            wanted[known] = {j: its for j, its in rest.items() if j not in said}
        else:
            root.remove(element)
    groups = _groups(root, tree)
    for name, values in wanted.items():
        _add(root, name, values, groups, losses)


def _add(
    root: Any, name: str, values: Values, groups: dict[str, set[str]], losses: Losses
) -> None:
    while values:
        group = max(
            groups, key=lambda one: len(groups[one] & values.keys()), default=""
        )
        inside = groups.get(group, set()) & values.keys()
        if not inside:
            what = "values of joints in no group are not written"
            losses.add(what, f"{name}: {', '.join(values)}")
            return
        state = add(root, "group_state", name=name, group=group)
        for joint in sorted(inside):
            add(state, "joint", name=joint, value=numbers(*values[joint]))
        values = {joint: its for joint, its in values.items() if joint not in inside}


def _written(values: tuple[tuple[str, tuple[float, ...]], ...], tree: Tree) -> Values:
    """Return values by the names that joints are written with."""
    found: Values = {}
    for joint, its in values:
        for axis, value in enumerate(its):
            name = tree.axes.get((joint, axis), joint)
            found[name] = (*found.get(name, ()), value)
    return found


def _groups(root: Any, tree: Tree) -> dict[str, set[str]]:
    """Return the joints that each group names itself, by a joint, link or chain."""
    above = {joint.child: joint for joint in tree.joints}
    found: dict[str, set[str]] = {}
    for group in root.iterchildren("group"):
        its = found.setdefault(group.get("name") or "", set())
        its.update(one.get("name") or "" for one in group.iterchildren("joint"))
        for link in group.iterchildren("link"):
            joint = above.get(link.get("name") or "")
            its.update([joint.name] if joint else [])
        for chain in group.iterchildren("chain"):
            link = chain.get("tip_link") or ""
            while link != chain.get("base_link") and link in above:
                its.add(above[link].name)
                link = above[link].parent
    return found


def _floats(text: str | None) -> tuple[float, ...]:
    return tuple(map(float, (text or "").split()))
