"""Partial derivatives of formulas: those of a file against those that we derive.

Half of those in real files are wrong, so that none is taken; reported once per file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.errors import Error
from pyrave_collada.document.extras import openrave_part
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.parsed import children
from pyrave_collada.reading.formulas.mathml import expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.kinematics.formula import Expression
    from pyrave_collada.reading.formulas.mathml import Function

_ORDERS = {"first_partial": 1, "second_partial": 2}
# where derivatives are compared: no zeros of common functions, radians or lengths
_SAMPLES = (0.3, -0.71, 0.137, 0.93, -0.29)
_TOLERANCE = 1e-4
"""Relative: writers give six digits."""
_FEW = 5
_MAX_LENGTH = 4000
"""Characters of formulas whose derivatives are compared."""


@dataclass(slots=True)
class _Tally:
    count: int = 0
    wrong: list[tuple[Any, str]] = field(default_factory=list)


class Partials:
    """Compares the derivatives of a load and tells of wrong ones. Mutable."""

    def __init__(self) -> None:
        self._tallies: dict[Any, _Tally] = {}
        self._done: set[Any] = set()

    def compare(
        self,
        formula: Any,
        position: Any,
        leader: Callable[[str, Any], str],
        function: Callable[[str, Any], Function | None],
    ) -> None:
        """Compare the derivatives in a formula with those of its position.

        Parameters
        ----------
        position
            MathML, which can be translated.
        leader
            ``(path, element) -> name`` of the axis that a path leads to.
        function
            As `expression` has it.
        """
        part = openrave_part(formula)
        given = [] if part is None else list(children(part, "equation"))
        given = [one for one in given if one.get("type") in _ORDERS]
        if not given or formula in self._done:
            return
        self._done.add(formula)
        names: dict[str, str] = {}

        def variable(path: str, element: Any) -> str:
            return names.setdefault(leader(path, element), f"v{len(names)}")

        try:
            text = expression(position, variable, function)
        except ElementError:
            return  # with these names of variables it is too long to be translated
        if len(text) > _MAX_LENGTH:
            return
        root = formula.getroottree().getroot()
        tally = self._tallies.setdefault(root, _Tally())
        for one in given:
            tally.count += 1
            target = (one.get("target") or "").strip()
            same, stored = False, next(children(one), None)
            try:
                name = names.get(leader(target, one))
                if name is not None and stored is not None:
                    said = expression(stored, variable, function)
                    same = _agree(text, said, name, _ORDERS[one.get("type")], names)
            except (Error, ElementError, ArithmeticError):
                same = False
            if not same:
                tally.wrong.append((one, target))

    def report(self, warn: Callable[..., None]) -> None:
        """Report what is wrong: one warning (element, code, message, hint) a file."""
        for tally in self._tallies.values():
            if not tally.wrong:
                continue
            named = list(dict.fromkeys(target for _, target in tally.wrong if target))
            more = "" if len(named) <= _FEW else f" and {len(named) - _FEW} more"
            warn(
                tally.wrong[0][0],
                "wrong-partials",
                f"{len(tally.wrong)} of {tally.count} partial derivatives in formulas "
                "are not those of their positions; derived ones are taken",
                f"they are by {', '.join(named[:_FEW])}{more}" if named else None,
            )


def _agree(
    position: str, said: str, name: str, order: int, names: dict[str, str]
) -> bool:
    """Return True if a text is the derivative of another one, by samples."""
    from pyrave.kinematics.formula import differentiate, parse_formula

    known = tuple(names.values())
    derived = parse_formula(position, known)
    for _ in range(order):
        derived = differentiate(derived, name)
    stored = parse_formula(said, known)
    compared = 0
    for start in range(len(_SAMPLES)):
        values = {
            one: _SAMPLES[(start + index) % len(_SAMPLES)]
            for index, one in enumerate(known)
        }
        ours, theirs = _value(derived, values), _value(stored, values)
        if ours is None:
            continue  # the position itself has no slope there
        compared += 1
        if theirs is None or abs(ours - theirs) > _TOLERANCE * max(1.0, abs(ours)):
            return False
    return compared > 0 or _value(stored, dict.fromkeys(known, 0.0)) is not None


def _value(expression_: Expression, values: dict[str, float]) -> float | None:
    try:
        found = expression_.evaluate(values)
    except (ArithmeticError, ValueError):
        return None
    return found if abs(found) < float("inf") else None
