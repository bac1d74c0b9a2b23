"""Files of very many elements are read, or refused, in time proportional to them.

Each text is made so that quadratic work in its size would take minutes.
"""

from __future__ import annotations

import time

import pytest

import pyrave

SECONDS = 40.0
N = 20_000


def environment(inside: str) -> str:
    return f"<environment>{inside}</environment>"


def kinbody(inside: str) -> str:
    return f'<kinbody name="k"><body name="L0"/>{inside}</kinbody>'


def times(text: str, count: int = N) -> str:
    """Repeat a text with numbers in the place of ``#``."""
    return "".join(text.replace("#", str(i)) for i in range(count))


def chain(mimic: str, count: int) -> str:
    return kinbody(
        "".join(
            f'<body name="L{i + 1}"/><joint name="J{i}"'
            + (f' mimic_pos="{mimic.format(i=i, before=i - 1)}"' if i else "")
            + f"><body>L{i}</body><body>L{i + 1}</body><axis>0 0 1</axis></joint>"
            for i in range(count)
        )
    )


ACCEPTED = {
    "bodies": environment(times('<kinbody name="b#"><body/></kinbody>')),
    "unknown tags": environment(times("<tag#/>")),
    "readables": kinbody(times("<tag#/>", 5000)),
    "unknown attributes": kinbody(
        times("<body" + "".join(f" a{i}='1'" for i in range(900)) + "/>", 20)
    ),
    "links": kinbody(times('<body name="b#"/>')),
    "nameless links": kinbody(times("<body/>")),
    "offsets": kinbody(times('<body name="b#"><offsetfrom>L0</offsetfrom></body>')),
    "prefixes": kinbody(times('<kinbody prefix="p#"><body name="a"/></kinbody>')),
    "moved parts": kinbody(
        times("<kinbody><body/><translation>1 0 0</translation></kinbody>", 5000)
    ),
    "unknown adjacent links": kinbody(times("<adjacent>a# b#</adjacent>")),
    "missing meshes": kinbody(
        "<body>"
        + times('<geom type="trimesh"><data>no#.stl</data></geom>', 5000)
        + "</body>"
    ),
    "side walls": kinbody(
        '<body><geom type="cage"><extents>1 1 1</extents>'
        + times("<sidewall><vextents>1 1 1</vextents></sidewall>")
        + "</geom></body>"
    ),
    "followers in a row": chain("J{before}*2", 2000),
    "followers of one": chain("sin(J0)", 3000),
    "renamed followers": chain("J0+J{before}", 1000)
    .replace('<body name="L0"/>', '<kinbody prefix="p"><body name="L0"/>')
    .replace("</kinbody>", "</kinbody></kinbody>"),
    "gripper joints": "<robot name='r'>"
    + kinbody(
        times(
            '<body name="b#"/><joint name="j#"><body>L0</body><body>b#</body>'
            "<axis>0 0 1</axis></joint>",
            3000,
        )
    )
    + '<manipulator name="m"><base>L0</base><effector>b1</effector>'
    f"<joints>{times(' j#', 3000)}</joints></manipulator></robot>",
}

REFUSED = {
    "attributes": "<kinbody name='k'" + times(" a#='1'") + "><body/></kinbody>",
    "one name": environment(times('<kinbody name="b"><body/></kinbody>')),
    "joints of unknown links": kinbody(
        times('<joint name="x#"><body>a#</body><body>L0</body></joint>')
    ),
    "a circle": chain("J{before}", 3000).replace(
        '<joint name="J0">', '<joint name="J0" mimic_pos="J2999">'
    ),
    "unknown names": chain("K{i}", 3000),
    "everybody": chain("+".join(f"J{i}" for i in range(200)) + "+J{before}", 300),
    "coats of paint": kinbody(
        times(
            "<kinbody><body><geom type='sphere'><radius>1</radius></geom></body>"
            "<diffusecolor>1 0 0</diffusecolor></kinbody>"
        )
    ),
    "nested links": kinbody(
        "<body>"
        + times(
            "<body><geom type='sphere'><radius>1</radius></geom>"
            "<translation>1 0 0</translation></body>"
        )
        + "</body>"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", ACCEPTED)
def test_much_is_read(what):
    start = time.process_time()
    env = pyrave.load_string(ACCEPTED[what])
    assert len(env.bodies) > 0 or what == "unknown tags"
    assert time.process_time() - start < SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("what", REFUSED)
def test_too_much_is_refused(what):
    start = time.process_time()
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(REFUSED[what])
    assert len(caught.value.problems) <= 1001
    assert time.process_time() - start < SECONDS


def test_changing_all_that_stands_before_is_counted():
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(REFUSED["coats of paint"])
    problem = caught.value.first
    assert problem.code == "too-complex"
    assert "change others more than 500000 times" in problem.message
    assert "<string>:1:" in str(problem)
