"""Formulas of joints that follow others: MathML of position and partials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import Error
from pyrave.kinematics.formula import Expression, differentiate, parse_formula
from pyrave_collada.writing.tags import MATHML, add, numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave_collada.writing.plan import BodyPlan, WrittenAxis

_MAX_TERMS = 5000
_OPERATORS = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "divide",
    "mod": "rem",
    "pow": "power",
    "neg": "minus",
    "not": "not",
    "and": "and",
    "or": "or",
    "eq": "eq",
    "ne": "neq",
    "lt": "lt",
    "le": "leq",
    "abs": "abs",
    "ceil": "ceiling",
    "floor": "floor",
    "log": "ln",
    "max": "max",
    "min": "min",
    "sqrt": "root",
    **{name: name for name in ("cos", "cosh", "exp", "sin", "sinh", "tan", "tanh")},
    **{f"a{name}": f"arc{name}" for name in ("cos", "sin", "tan")},
    **{f"a{name}h": f"arc{name}h" for name in ("cos", "sin", "tan")},
}
_CALLED = {"atan2"}


class _UnsayableError(Exception):
    """MathML has no word for an operation."""


def add_formulas(common: Any, plan: BodyPlan, lose: Callable[[str], None]) -> None:
    """Append the ``<formula>`` of each axis that follows others."""
    paths: dict[str, str] = {}
    for axis in plan.axes:
        name = axis.joint.name
        path = plan.joint_path(name)
        if axis.number == 0:
            paths.setdefault(name, path)
        else:
            paths[f"{name}_{axis.number}"] = f"{path}/axis{axis.number}"
    for axis in plan.axes:
        mimic = axis.joint.axes[axis.number].mimic if axis.moves else None
        if mimic is None:
            continue
        try:
            _add_formula(common, plan, axis, mimic.position, paths)
        except (Error, _UnsayableError) as error:
            lose(
                f"the formula {mimic.position!r} of joint {axis.joint.name!r} in body "
                f"{plan.body.name!r} is for pyrave alone: {error}"
            )


def _add_formula(
    common: Any, plan: BodyPlan, axis: WrittenAxis, text: str, paths: dict[str, str]
) -> None:
    position = parse_formula(text, list(paths))
    equations = [("position", "", position)]
    for name in position.names:
        slope = differentiate(position, name)
        equations += [
            ("first_partial", paths[name], slope),
            ("second_partial", paths[name], differentiate(slope, name)),
        ]
    # all in MathML before anything is appended
    said = [(kind, target, _math(one, paths)) for kind, target, one in equations]
    sid = plan.joint(axis.joint.name)
    tail = f"axis{axis.number}." if axis.number else ""
    formula = add(common, "formula", sid=f"{sid}.{tail}formula")
    target = plan.joint_path(axis.joint.name)
    if axis.number:
        target = f"{target}/axis{axis.number}"
    add(add(formula, "target"), "param", target)
    add(formula, "technique_common").append(_math(position, paths))
    technique = add(formula, "technique", profile="OpenRAVE")
    for kind, leader, math in said:
        add(technique, "equation", type=kind, target=leader).append(math)


def _math(expression: Expression, paths: dict[str, str]) -> Any:
    """Return an expression as ``<math>``; shared terms are written each time."""
    terms = expression.terms()
    math = etree.Element(f"{{{MATHML}}}math", nsmap={None: MATHML})
    waiting: list[tuple[Any, int]] = [(math, len(terms) - 1)]
    count = 0
    while waiting:
        parent, place = waiting.pop()
        count += 1
        if count > _MAX_TERMS:
            raise _UnsayableError(f"it or a partial has over {_MAX_TERMS} terms")
        op, operands = terms[place]
        if op == "const":
            value = float(operands[0])
            _add(parent, "cn", numbers((value,)), type="real")
            continue
        if op == "load":
            _add(parent, "csymbol", paths[str(operands[0])], encoding="COLLADA")
            continue
        inner = [int(one) for one in operands]
        waiting += reversed(_operation(parent, op, inner))
    return math


def _operation(parent: Any, op: str, inner: list[int]) -> list[tuple[Any, int]]:
    """Append an operation; return where its operands belong."""
    if op == "if":
        condition, then, otherwise = inner
        cases = _add(parent, "piecewise")
        piece, rest = _add(cases, "piece"), _add(cases, "otherwise")
        return [(piece, then), (piece, condition), (rest, otherwise)]
    apply = _add(parent, "apply")
    if op == "sign":
        _add(apply, "divide")
        size = _add(apply, "apply")
        _add(size, "abs")
        return [(apply, inner[0]), (size, inner[0])]
    if op == "cbrt":
        _add(apply, "root")
        _add(_add(apply, "degree"), "cn", "3", type="real")
    elif op in _CALLED:
        _add(apply, "csymbol", op, encoding="text/xml")
    elif op in _OPERATORS:
        _add(apply, _OPERATORS[op])
    else:
        raise _UnsayableError(f"MathML has no {op!r}")
    return [(apply, one) for one in inner]


def _add(parent: Any, tag: str, text: str = "", **attributes: str) -> Any:
    element = etree.SubElement(parent, f"{{{MATHML}}}{tag}")
    element.text = text or None
    for name, value in attributes.items():
        element.set(name, value)
    return element
