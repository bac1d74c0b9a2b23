"""Files that belong to scenes and are none are said to be what they are."""

from __future__ import annotations

import pytest

import pyrave

_SRDF = '<robot name="r">{}</robot>'


@pytest.mark.parametrize(
    ("name", "text", "said", "hint"),
    [
        ("r.srdf", _SRDF.format('<group name="a"/>'), "is an SRDF", "load that URDF"),
        (
            "r.xml",
            _SRDF.format('<disable_collisions link1="a" link2="b" reason="x"/>'),
            "is an SRDF",
            "beside it",
        ),
        (
            "g.xml",
            _SRDF.format('<!-- a -- b --><group name="a"><joint name="j"/></group>'),
            "is an SRDF",
            "beside it",
        ),
        (
            "s.xml",
            _SRDF.format(
                '<group_state name="a" group="b"><joint name="j"/></group_state>'
            ),
            "is an SRDF",
            "beside it",
        ),
        ("n.srdf", '<robot name="r"/>', "is an SRDF", "beside it"),
        ("d.xml", "<MaterialData/>", "a part of a Dynamic WorkCell", "WorkCell"),
        ("i.dwc.xml", "<IncludeData/>", "a part of a Dynamic WorkCell", "WorkCell"),
        ("c.xml", '<CollisionModel name="a"/>', "a part of a WorkCell", "WorkCell"),
        (
            "lfs.urdf",
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
            "a pointer of Git LFS",
            "git lfs pull",
        ),
        ("p.xml", "<ProximitySetup/>", "a setup of RobWork, <proximitysetup>", "names"),
        ("c.prox.xml", "<CollisionSetup/>", "a setup of RobWork", "WorkCell"),
        ("f.wc.xml", '<Frame name="a"/>', "a part of a WorkCell, <frame>", "WorkCell"),
        ("m.3dxml", "PK\x03\x04", "3DXML, of CATIA, has no reader", "COLLADA or glTF"),
    ],
)
def test_what_a_file_is(tmp_path, name, text, said, hint):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(pyrave.SceneError, match=said) as caught:
        pyrave.load(path)
    assert caught.value.first.code == "no-scene"
    assert hint in caught.value.first.hint


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.urdf", _SRDF.format('<link name="a"/><group name="a"/>')),
        ("g.urdf", _SRDF.format('<group name="a"/><link name="a"/>')),
        ("r.robot.xml", _SRDF.format('<kinbody><body name="b"/></kinbody><group/>')),
        ("r.wc.xml", '<WorkCell name="c"><Frame name="a"/></WorkCell>'),
    ],
)
def test_scenes_are_scenes(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert len(pyrave.load(path).bodies) + 1
