"""OpenRAVE's expression language: parsed, differentiated, run as instructions."""

from pyrave.kinematics.formula.expression import (
    MAX_NODES,
    Expression,
    ExpressionGraph,
    Tape,
    differentiate,
)
from pyrave.kinematics.formula.joint_names import Renaming
from pyrave.kinematics.formula.linear import LinearForm, linear_form
from pyrave.kinematics.formula.parser import (
    MAX_DEPTH,
    MAX_LENGTH,
    FormulaNames,
    parse_formula,
    parse_partials,
    with_less,
    with_variables,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_NODES",
    "Expression",
    "ExpressionGraph",
    "FormulaNames",
    "LinearForm",
    "Renaming",
    "Tape",
    "differentiate",
    "linear_form",
    "parse_formula",
    "parse_partials",
    "with_less",
    "with_variables",
]
