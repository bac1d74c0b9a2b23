"""The expression language: values, derivatives, errors, hostile input."""

import contextlib
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrave.errors import Error, SceneError
from pyrave.kinematics.formula import (
    MAX_LENGTH,
    Renaming,
    Tape,
    differentiate,
    linear_form,
    parse_formula,
    parse_partials,
    with_variables,
)
from pyrave.kinematics.formula.expression import ExpressionGraph
from pyrave.kinematics.poses import tape_kernels
from pyrave.scene import MimicFormula

NAMES = ("x", "y", "J_1")
AT = {"x": 0.3, "y": 0.7, "J_1": -1.2}
X, Y, J = 0.3, 0.7, -1.2

VALUES = {
    "1 + 2*3": 7.0,
    "-x^2": -(X**2),
    "2^3^2": 512.0,
    "2^-1": 0.5,
    "-2*-x": 2 * X,
    "7 % 4 - -7 % 4": 6.0,
    "x - y - 1": X - Y - 1,
    "8/4/2": 1.0,
    "1e3*.5 + 2.": 502.0,
    "x < y": 1.0,
    "x > y": 0.0,
    "x <= x & y >= x": 1.0,
    "x = y | x != y": 1.0,
    "x == x": 1.0,
    "!x": 1.0,
    "!y": 0.0,
    "1 < 2 & 0 | 1": 1.0,
    "abs(J_1) + ceil(x) + floor(J_1)": 1.2 + 1 - 2,
    "int(2.5) + int(-2.5) + trunc(-2.7)": -2.0,
    "acos(x) + asin(x)": math.pi / 2,
    "acosh(1+x) + asinh(x) + atanh(x)": math.acosh(1 + X)
    + math.asinh(X)
    + math.atanh(X),
    "atan(x) + atan2(x, J_1)": math.atan(X) + math.atan2(X, J),
    "cbrt(-8)": -2.0,
    "cos(x)*sec(x) + sin(x)*csc(x) + tan(x)*cot(x)": 3.0,
    "cosh(x)^2 - sinh(x)^2 + tanh(0)": 1.0,
    "exp(log(y)) + exp2(3)": Y + 8,
    "log2(8) + log10(1000)": 6.0,
    "hypot(3, 4) + sqrt(16)": 9.0,
    "max(x, y) + min(x, y)": X + Y,
    "pow(2, 10)": 1024.0,
    "if(x < y, x, 1/0)": X,
    "a := x + 1; b := a*a; b + a": 1.3**2 + 1.3,
    "polyroots2(1, -3, 2)": 1.0,
    "polyroots3(1, -6, 11, -6)": 1.0,
    "polyroots2(1, 3, 2)": -1.0,
    "polyroots8(1,0,0,0,0,0,0,0,-256)": 2.0,
    "SASS(3, acos(0), 4)": 5.0,
    "SSSA(3, 4, 5) + SSSA(4, 3, 5)": math.pi / 2,
    "SASA(3, acos(0), 4)": math.atan2(3, 4),
}


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_values(text, expected):
    value = parse_formula(text, NAMES).evaluate(AT)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "text",
    ["acos(2)", "log(-1)", "sqrt(-x)", "polyroots2(1,0,1)", "0/0", "polyroots2(0,0,x)"],
)
def test_outside_of_the_domain_is_nan(text):
    assert math.isnan(parse_formula(text, NAMES).evaluate(AT))


leaves = st.one_of(
    st.sampled_from(NAMES),
    st.floats(0.25, 4.0).map(lambda value: f"{value:.3f}"),
)


def branches(inner):
    function = st.sampled_from(
        ["sin", "cos", "atan", "tanh", "exp", "asinh", "cosh", "sinh", "abs", "cbrt"]
    )
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(function, inner).map(lambda t: f"{t[0]}(({t[1]})/3)"),
        st.tuples(st.sampled_from("+-*"), pair).map(
            lambda t: f"({t[1][0]} {t[0]} {t[1][1]})"
        ),
        pair.map(lambda t: f"({t[0]}) / (2 + ({t[1]})^2)"),
        pair.map(lambda t: f"hypot(1 + ({t[0]})^2, {t[1]})"),
        pair.map(lambda t: f"atan2({t[0]}, 2 + ({t[1]})^2)"),
        pair.map(lambda t: f"sqrt(1 + ({t[0]})^2) * log(2 + ({t[1]})^2)"),
        pair.map(lambda t: f"(1 + ({t[0]})^2)^sin({t[1]})"),
        pair.map(lambda t: f"max({t[0]}, {t[1]}) + min({t[0]}, 1)"),
        pair.map(lambda t: f"SASS(2, {t[0]}, 3) + SSSA(2, 3, 3 + tanh({t[1]}))"),
        pair.map(lambda t: f"polyroots3(1, 0, 1 + ({t[0]})^2, tanh({t[1]}) - 2)"),
        inner.map(lambda t: f"tan(tanh({t})) + acos(tanh({t})/2) + asin(tanh({t})/2)"),
        inner.map(lambda t: f"atanh(tanh({t})/2) + acosh(2 + ({t})^2)"),
        inner.map(lambda t: f"sec(tanh({t})) + csc(2 + tanh({t})/2) * cot(2 - 1/3)"),
        inner.map(lambda t: f"exp2(tanh({t})) + log2(1 + ({t})^2) * log10(2 + {t}^2)"),
        pair.map(lambda t: f"SASA(2, 1 + tanh({t[0]})/2, 3 + tanh({t[1]}))"),
        pair.map(lambda t: f"pow(2 + tanh({t[0]}), {t[1]}/4)"),
        pair.map(lambda t: f"if({t[0]} < {t[1]} & 1 | 0, {t[0]}, 2*({t[1]}))"),
        pair.map(lambda t: f"({t[0]}) % (2 + ({t[1]})^2)"),
        inner.map(lambda t: f"floor({t}) + ceil({t}) + int({t}) + trunc({t}) * ({t})"),
    )


formulas = st.recursive(leaves, branches, max_leaves=6)


@settings(max_examples=150)
@given(formulas)
def test_derivatives_against_differences(text):
    expression = parse_formula(text, NAMES)
    assert expression == parse_formula(f"part := {text}; part", NAMES)
    for name in expression.names:
        first = differentiate(expression, name)
        second = differentiate(first, name)
        for function, slope in ((expression, first), (first, second)):
            exact = slope.evaluate(AT)
            if not math.isfinite(exact) or abs(exact) > 1e4:
                continue
            steps = (1e-5, -1e-5)
            ends = [function.evaluate({**AT, name: AT[name] + s}) for s in steps]
            middle = function.evaluate(AT)
            left, right = (middle - ends[1]) / 1e-5, (ends[0] - middle) / 1e-5
            if abs(left - right) > 1e-2 * (1 + abs(exact)):
                continue  # a kink of abs, max or min lies within the step
            numeric = (ends[0] - ends[1]) / 2e-5
            assert exact == pytest.approx(numeric, rel=1e-3, abs=1e-3)


@settings(max_examples=100)
@given(formulas)
def test_compiled_tape_equals_plain(text):
    expression = parse_formula(text, NAMES)
    graph = ExpressionGraph()
    mapping = {name: graph.load(i) for i, name in enumerate(NAMES)}
    tape = Tape(graph)
    register = tape.emit(graph.include(expression, mapping))
    rows, constants = tape.arrays()
    values = np.array([AT[name] for name in NAMES])
    registers = np.zeros(len(rows))
    tape_kernels.jit.run_tape(rows, constants, 0, len(rows), registers, values)
    plain = expression.evaluate(AT)
    assert registers[register] == pytest.approx(plain, rel=1e-12, nan_ok=True)


def test_joint_names_with_other_characters():
    names = ("arm-1.joint", "arm", "arm-1")
    at = {"arm-1.joint": 2.0, "arm": 3.0, "arm-1": 5.0}
    assert parse_formula("arm-1.joint * 2 + arm-1 - arm", names).evaluate(at) == 6.0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5*x - 2", 0.75 - 7.0),
        ("2. + 2e1 - 2e-1", 2.0 + 20.0 - 0.2),
        ("1e-2*x + 32 - .2", 0.003 + 32.0 - 0.2),
        ("2nd*2", 77.0),
        ("a-b2 + a-b", 5.0 - 3.0 + 13.0),
    ],
)
def test_names_are_whole_words_and_numbers_whole_numbers(text, value):
    at = {"x": 0.3, "2": 7.0, "2nd": 11.0, "a-b": 13.0, "a": 5.0, "b2": 3.0}
    assert parse_formula(text, at).evaluate(at) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.5*J + 2 - 1e-2*sin(2)", "2.5*p_J + p_2 - 1e-2*sin(p_2)"),
        ("sin + sin(sin)", "p_sin + sin(p_sin)"),
        ("J_1 - J-1 - J-1_0", "p_J_1 - p_J-1 - p_J-1_0"),
        ("sin(J_7", "sin(J_7"),
        ("other*J", "other*p_J"),
        ("J := J*J; J + JJ", "J := p_J*p_J; J + JJ"),
    ],
)
def test_renamed_joints_are_whole_words(text, expected):
    joints = [("J", 2), ("J-1", 1), ("2", 1), ("sin", 1), ("", 1)]
    renaming = Renaming(joints, lambda name: f"p_{name}")
    lists = "|J 3*J |sin (sin) |2 J|2", "|J_1 2.5"
    found = renaming.formula(MimicFormula(text, *lists))
    assert found.position == expected
    assert found.velocity == "|p_J 3*p_J |p_sin (p_sin) |p_2 p_J|p_2"
    assert found.acceleration == "|p_J_1 2.5"


def test_names_of_partials_stay_where_only_variables_change():
    found = with_variables("|x x^2 |y 1", NAMES, lambda name: f"({name}+1)", str)
    assert found == "|x (x+1)^2 |y 1"


def test_a_name_may_look_like_a_function():
    assert parse_formula("max + max(1, 2)", ("max",)).evaluate({"max": 3.0}) == 5.0


def test_lists_of_partials():
    found = parse_partials("c := 2*x; |x c + y |y -(x) |J_1 1", NAMES)
    values = {name: expression.evaluate(AT) for name, expression in found.items()}
    assert values == pytest.approx({"x": 1.3, "y": -0.3, "J_1": 1.0})
    assert parse_partials("", NAMES) == {}
    assert parse_partials("|x 0|1", NAMES)["x"].evaluate(AT) == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"needs a number, a name or '\('.*it ends here.*column 1"),
        ("1 +", r"it ends here \(column 4\)"),
        ("2*yy", r"unknown name 'yy' \(column 3\) \(did you mean 'y'\?\)"),
        ("(x", r"needs '\)' before 'the end' \(column 3\)"),
        ("x y", r"goes on with 'y' where an operator was expected \(column 3\)"),
        ("sin(x, y)", r"calls sin with 2 arguments, it takes 1"),
        ("sin x", r"unknown name 'sin'"),
        ("a := 1", r"needs ';'"),
        ("sin := 1; x", r"gives a value to the function 'sin'"),
        ("1e400", r"too large"),
        ("1,5", r"goes on with ',5'"),
        ("\u0663*x", r"needs a number"),
    ],
)
def test_errors_say_where(text, message):
    with pytest.raises(SceneError, match=message):
        parse_formula(text, NAMES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", r"needs '\|' before 'x'"),
        ("|z 1", r"partial of the unknown name 'z'"),
        ("|x 1 |x 2", r"two partials of 'x'"),
    ],
)
def test_errors_of_partials(text, message):
    with pytest.raises(SceneError, match=message):
        parse_partials(text, NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "x" + ")" * 5000,
        "sin(" * 3000 + "x",
        "x^" * 5000 + "x",
        "x" * (MAX_LENGTH + 1),
        "!" * 5000,
        "1" * 15000,
    ],
)
def test_hostile_formulas_are_refused_shortly(text):
    with pytest.raises(SceneError) as caught:
        parse_formula(text, ("x",))
    assert len(str(caught.value)) < 500


def test_long_formulas_are_read():
    assert parse_formula("-" * 15000 + "x", ("x",)).evaluate({"x": 2.0}) == 2.0
    assert parse_formula("+".join("x" * 5000), ("x",)).evaluate({"x": 1.0}) == 5000.0


def test_doubling_parts_stay_small():
    """A tree would have 2^200 leaves."""
    parts = "".join(f"a{i + 1} := a{i}*a{i} + sin(a{i});" for i in range(200))
    expression = parse_formula(f"a0 := x; {parts} a200", ("x",))
    assert len(expression.nodes) < 1000
    assert len(differentiate(expression, "x").nodes) < 3000


@settings(max_examples=300)
@given(st.text(alphabet="xy01.e+-*/%^()<>=!&|,;: sincopolyroots2_J", max_size=40))
def test_arbitrary_text_gives_an_expression_or_an_error(text):
    for parse in (parse_formula, parse_partials):
        with contextlib.suppress(Error):
            parse(text, NAMES)


def test_expressions_are_frozen_equal_and_pickle():
    one = parse_formula("x*y + sin(x)", NAMES)
    assert one == parse_formula("x * y+sin( x )", NAMES)
    assert hash(one) == hash(parse_formula("x*y + sin(x)", NAMES))
    assert one != parse_formula("x*y", NAMES)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    with pytest.raises(AttributeError, match="frozen"):
        one.root = 0


@pytest.mark.parametrize(
    ("within", "expected"),
    [(None, 1.0), ((-3.0, -1.5), -2.0), ((2.0, 4.0), 3.0), ((5.0, 6.0), 1.0)],
)
def test_a_root_in_the_range_is_preferred(within, expected):
    """(r - 1) (r + 2) (r - 3), also where it is made of variables."""
    for text in ("polyroots3(1, -2, -5, 6)", "polyroots3(x, -2*x, -5*x, 6*x)"):
        expression = parse_formula(text, NAMES, within=within)
        assert expression.evaluate(AT) == pytest.approx(expected, rel=1e-12)
        if expression.names:
            assert differentiate(expression, "x").evaluate(AT) == pytest.approx(0.0)


@pytest.mark.parametrize(
    "moved", ["{} + 10", "10 + {}", "{} - 4 + 14", "{}" + "+.01" * 1000]
)
def test_a_root_with_numbers_added_is_the_one_whose_sum_is_in_the_range(moved):
    """However many numbers there are."""
    text = moved.format("polyroots3(x, -2*x, -5*x, 6*x)")
    for within, expected in (((7.0, 8.5), 8.0), ((12.0, 14.0), 13.0)):
        expression = parse_formula(text, NAMES, within=within)
        assert expression.evaluate(AT) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2*x - y/4 + 0.5", ({"x": 2.0, "y": -0.25}, 0.5)),
        ("-(x - 3)*4", ({"x": -4.0}, 12.0)),
        ("2*3", ({}, 6.0)),
        ("x*y", None),
        ("1/x", None),
        ("sin(x)", None),
    ],
)
def test_linear_formulas_are_factors_and_an_offset(text, expected):
    assert linear_form(parse_formula(text, NAMES)) == expected
