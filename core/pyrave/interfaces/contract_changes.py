"""Changes of the contracts of interface types, version by version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyrave.interfaces.types import INTERFACE_TYPES


@dataclass(frozen=True, slots=True)
class ContractChange:
    """Change of a type's contract in a version, and the work that it asks of authors.

    Parameters
    ----------
    what
        What is different, and what to do.
    methods
        Methods that mean something else now: an older class that defines one of them
        is refused. One that has none goes on, with a warning.
    """

    what: str
    methods: frozenset[str] = frozenset()


_OWN_STATE = "what a class adds to the state goes through get_own_state, set_own_state"
_STATE = frozenset({"get_state", "set_state"})

CONTRACT_CHANGES: Mapping[str, Mapping[int, ContractChange]] = {
    "planner": {
        2: ContractChange(
            "check_path_constraints of the parameters knows of no collisions: ask "
            "check_motion, or the collision checker"
        )
    },
    "robot": {2: ContractChange(_OWN_STATE, _STATE)},
    "controller": {
        2: ContractChange(
            "get_control_dof_indices returns an integer array, and joints that a path "
            "leaves out go on as they were told before",
            frozenset({"get_control_dof_indices", "set_path"}),
        )
    },
    "iksolver": {
        2: ContractChange(
            "get_free_indices returns an integer array, and solutions are compared "
            "with their goals unless the class states verifies = True",
            frozenset({"get_free_indices"}),
        )
    },
    "kinbody": {2: ContractChange(_OWN_STATE, _STATE)},
    "sensor": {
        2: ContractChange(
            "set_transform is not called for a mounted sensor: measure from "
            f"self.transform; {_OWN_STATE}",
            _STATE | {"set_transform", "get_transform"},
        )
    },
    "collisionchecker": {
        2: ContractChange(
            "reports take pairs of ids (CollisionPair), and pairs that callbacks "
            "ignore are left out (is_ignored)",
            frozenset({"check_collision", "check_self_collision", "check_ray"}),
        )
    },
    "trajectory": {2: ContractChange(_OWN_STATE, _STATE)},
    "viewer": {
        2: ContractChange(
            "environment_sync is called by the thread that steps, after each step, "
            "and body_removed for each body that goes",
            frozenset({"environment_sync"}),
        )
    },
}
"""Changes by interface type and version; a type that is not here has version 1."""

CONTRACTS: Mapping[str, int] = {
    kind: max(CONTRACT_CHANGES.get(kind, {}), default=1) for kind in INTERFACE_TYPES
}
"""Version of the contract between environment and plugin, per interface type."""

OLDEST_CONTRACTS: Mapping[str, int] = dict.fromkeys(INTERFACE_TYPES, 1)
"""The oldest version of which classes are still served, each by what it defines."""
