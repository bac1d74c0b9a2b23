"""Cards of joint paths for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.cards import card, counted, table

if TYPE_CHECKING:
    from pyrave.ik.path import IkPath


def path_card(path: IkPath) -> str:
    """Return the extent of a path, and each joint's values along it, as HTML."""
    goals = f"{len(path)} of {counted(path.n_targets, 'goal')}"
    facts = {"reached": goals, "ends": "" if path else path.cause}
    if len(path) > 1:
        facts["largest step"] = f"{path.largest_step:.4g}"
    values = np.asarray(path.values)
    names = [f"joint {k}" for k in range(values.shape[1])] if values.ndim > 1 else []
    if path.arm is not None:
        known = path.arm.robot.dof_names
        names = [known[i] for i in path.arm.arm_indices.tolist()]
    rows = [
        [name, *(f"{x:.4f}" for x in (one[0], one.min(), one.max(), one[-1]))]
        for name, one in zip(names, values.T, strict=False)
        if len(one)
    ]
    head = ["joint value", "first", "least", "greatest", "last"]
    title = f"IkPath: {'complete' if path else path.status.value}"
    return card(title, facts, table(head, rows) if rows else "")
