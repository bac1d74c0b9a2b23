"""Formulas of COLLADA: positions, units, functions, stored partial derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, problems, read, written

import pyrave

TIMES = "<math:apply><math:times/>{}{}</math:apply>"
CN = "<math:cn>{}</math:cn>"
JOINT0 = '<math:csymbol encoding="COLLADA">kmodel1/joint0</math:csymbol>'
CALL = """<math:apply><math:csymbol encoding="text/xml" definitionURL="{}">{}
</math:csymbol>{}</math:apply>"""


def openrave(position, *partials, target="kmodel1/joint0"):
    """Return a formula of joint1 as OpenRAVE writes it."""
    equations = (
        f'<equation type="position"><math:math>{position}</math:math></equation>'
    )
    for kind, value in partials:
        equations += (
            f'<equation type="{kind}" target="{target}"><math:math>{value}</math:math>'
            "</equation>"
        )
    return f"""<formula sid="joint1.formula"><target><param>kmodel1/joint1</param>
</target><technique profile="OpenRAVE">{equations}</technique></formula>"""


def common(position, target="kmodel1/joint1"):
    return f"""<formula sid="f"><target><param>{target}</param></target>
<technique_common><math:math>{position}</math:math></technique_common></formula>"""


def _slide(robot):
    return {one.name: one for one in robot.passive_joints}["joint1"].values[0]


def positions(tmp_path, text, values, **options):
    """Return the value of joint1 at each value of joint0."""
    path = written(tmp_path, "robot.dae", text)
    robot = pyrave.load(path, strict=True, **options).robots["rover"]
    found = []
    for value in values:
        robot.dof_values = [value]
        found.append(_slide(robot))
    return found


def test_the_example_of_the_seed(tmp_path):
    # 0.33333 x + 0.8727, with its first partial; the operand that the seed forgot
    line = f"""<math:apply><math:plus/>{TIMES.format(CN.format(0.333330), JOINT0)}
    {CN.format(0.872700)}</math:apply>"""
    text = Robot(
        formula=openrave(line, ("first_partial", CN.format(0.333330))), limits=("", "")
    )
    values = [0.0, 1.0, -2.0]
    wanted = [0.33333 * one + 0.8727 for one in values]
    assert positions(tmp_path, text, values) == pytest.approx(wanted)
    robot = pyrave.load(written(tmp_path, "b.dae", text)).robots["rover"]
    robot.dof_values = [0.5]
    robot.dof_velocities = [1.0]
    # derived: along x of the arm, which joint0 turns
    along = np.array([math.cos(0.5), math.sin(0.5), 0.0])
    across = np.array([-math.sin(0.5), math.cos(0.5), 0.0])
    reach = 1.0 + _slide(robot)
    wanted = 0.33333 * along + reach * across
    np.testing.assert_allclose(robot.links["hand"].velocity[:3], wanted, atol=1e-12)


def test_a_formula_in_common_counts_where_openrave_says_nothing(tmp_path):
    half = TIMES.format(CN.format(0.5), JOINT0)
    text = Robot(formula=common(half))
    assert positions(tmp_path, text, [0.5]) == [0.25]


def test_lengths_of_formulas_are_in_the_unit_of_the_document(tmp_path):
    ten = TIMES.format(CN.format(10), JOINT0)
    text = Robot(
        formula=common(ten),
        unit='<unit name="millimeter" meter="0.001"/>',
        limits=("-180 180", "-100 100"),
    )
    assert positions(tmp_path, text, [0.5]) == [0.005]


def test_library_formulas_are_functions(tmp_path):
    # f(a, b) = a * a + b, and g(c) = f(c, 1)
    square = TIMES.format("<math:ci>a</math:ci>", "<math:csymbol>f/a</math:csymbol>")
    library = f"""<library_formulas>
    <formula id="f"><newparam sid="a"><float>0</float></newparam>
      <newparam sid="b"><float>0</float></newparam><technique_common>
      <math:apply><math:plus/>{square}<math:ci>b</math:ci></math:apply>
      </technique_common></formula>
    <formula id="g"><newparam sid="c"/><technique_common><math:math>
      {CALL.format("#f", "f", "<math:ci>c</math:ci>" + CN.format(1))}</math:math>
      </technique_common></formula></library_formulas>"""
    text = Robot(
        formula=common(CALL.format("#g", "g", JOINT0)),
        libraries=library,
        limits=("", ""),
    )
    assert positions(tmp_path, text, [0.5, 2.0]) == [1.25, 5.0]


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        ("atan2", (JOINT0, CN.format(2)), math.atan2(0.5, 2.0)),
        ("INRANGE", (JOINT0, CN.format(0), CN.format(1)), 1.0),
        ("INRANGE", (JOINT0, CN.format(1), CN.format(2)), 0.0),
    ],
)
def test_built_in_functions_need_no_library(tmp_path, name, values, wanted):
    call = CALL.format(f"#{name}", name, "".join(values))
    text = Robot(formula=common(call), limits=("", ""))
    assert positions(tmp_path, text, [0.5]) == [pytest.approx(wanted)]


def test_functions_that_call_themselves_end(tmp_path):
    library = f"""<library_formulas><formula id="f"><newparam sid="a"/>
    <technique_common>{CALL.format("#f", "f", "<math:ci>a</math:ci>")}
    </technique_common></formula></library_formulas>"""
    text = Robot(formula=common(CALL.format("#f", "f", JOINT0)), libraries=library)
    ((code, message),) = problems(text)
    assert code == "bad-formula"
    assert "nested deeper" in message


def test_functions_that_double_each_time_end():
    call = CALL.format("#{0}", "f", "{1}")
    functions = '<formula id="f0"><newparam sid="a"/><technique_common>' + (
        TIMES.format("<math:ci>a</math:ci>", "<math:ci>a</math:ci>")
    ) + "</technique_common></formula>"  # fmt: skip
    for i in range(1, 18):
        inner = call.format(f"f{i - 1}", "<math:ci>a</math:ci>")
        functions += f"""<formula id="f{i}"><newparam sid="a"/><technique_common>
        {TIMES.format(inner, inner)}</technique_common></formula>"""
    text = Robot(
        formula=common(call.format("f17", JOINT0)),
        libraries=f"<library_formulas>{functions}</library_formulas>",
    )
    ((code, message),) = problems(text)
    assert code == "bad-formula"
    assert "characters" in message


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (CALL.format("#nothing", "nothing", JOINT0), "'nothing' is not known"),
        ("<math:apply><math:factorial/>" + JOINT0 + "</math:apply>", "<factorial>"),
        ('<math:csymbol encoding="COLLADA">kmodel1/joint9</math:csymbol>', "joint9"),
        ("<math:cn>one</math:cn>", "'one'"),
    ],
)
def test_a_formula_that_is_wrong_leaves_its_joint_free(position, message):
    text = Robot(formula=common(position))
    ((code, told),) = problems(text)
    assert code == "bad-formula"
    assert message in told
    assert all(one.active for one in read(text, strict=False).bodies[0].joints)


# -- partial derivatives --------------------------------------------------------------


SQUARE = "<math:apply><math:power/>" + JOINT0 + CN.format(2) + "</math:apply>"
TWICE = TIMES.format(CN.format(2), JOINT0)


def test_right_partials_are_no_problem():
    given = ("first_partial", TWICE), ("second_partial", CN.format(2))
    read(Robot(formula=openrave(SQUARE, *given)))


@pytest.mark.parametrize(
    "given",
    [
        ("first_partial", JOINT0),
        ("second_partial", TWICE),
        ("first_partial", "<math:apply><math:nothing/></math:apply>"),
    ],
)
def test_wrong_partials_are_told_and_not_taken(tmp_path, given):
    text = Robot(formula=openrave(SQUARE, given))
    (problem,) = read(text, strict=False).problems
    assert problem.code == "wrong-partials"
    assert problem.message.startswith("1 of 1 partial derivatives in formulas")
    assert problem.hint == "they are by kmodel1/joint0"
    line = str(text).splitlines()[problem.line - 1]
    assert f'<equation type="{given[0]}"' in line
    robot = pyrave.load(written(tmp_path, "robot.dae", text)).robots["rover"]
    robot.dof_values = [0.5]
    robot.dof_velocities = [1.0]
    speed = robot.links["hand"].velocity[:2] @ (math.cos(0.5), math.sin(0.5))
    assert speed == pytest.approx(1.0)  # the derivative of x^2 at 0.5


def test_all_wrong_partials_of_a_file_are_one_warning():
    given = [("first_partial", JOINT0), ("second_partial", JOINT0)]
    found = problems(Robot(formula=openrave(SQUARE, *given)))
    assert [code for code, _ in found] == ["wrong-partials"]
    assert found[0][1].startswith("2 of 2")
