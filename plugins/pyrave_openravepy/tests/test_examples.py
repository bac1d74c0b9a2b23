"""Short programs by the names of OpenRAVE's examples."""

import pytest

import pyrave
from pyrave_openravepy.api import examples
from pyrave_openravepy.api.examples._program import expect
from pyrave_openravepy.api.examples.programs.qtserverprocess import ServerProcess

# what each says at least
SAID = {
    "calibrationviews": "the pattern is seen whole from",
    "checkconvexdecomposition": "points are inside",
    "checkvisibility": "it is hidden by a brick before it",
    "collision": "in the table: True",
    "collision2": "ignored the collision",
    "constraintplanning": " waypoints",
    "cubeassembly": "the blocks are together",
    "dualarmdemo_schunk": "both hands hold it",
    "fastgrasping": "can be taken, off by",
    "fastgraspingthreaded": "the arm reaches",
    "graspplanning": "the mug stands at [ 0.1",
    "hanoi": "the tower stands on the last peg",
    "inversekinematicspick": "the hand was at 16 of 16 places",
    "movehandstraight": "moved by -0.0",
    "pr2turnlever": "the lever turned by 0.6",
    "qtexampleselector": "tutorial_grasptransform has run",
    "qtserverprocess": "GetNothing: AttributeError",
    "showsensors": "laser: ",
    "simplegrasping": "holds ['mug']",
    "simplemanipulation": "the block is at [0.05  0.15",
    "simplenavigation": "it stands at [1.2 0. ]",
    "testphysics": "they lie at [0. 0. 0.] m",
    "testphysics_controller": "after 1 s the joints have moved by [ 0.4",
    "testphysics_diffdrive": "both wheels forward: +0.",
    "testupdatingbodies": "s later it is at",
    "testviewercallback": "mug at [",
    "tutorial_grasptransform": "the hand, once the mug has turned",
    "tutorial_ik5d": " solutions",
    "tutorial_iklookat": "rad beside it",
    "tutorial_iklookat_multiple": "4 heads looked at it",
    "tutorial_iksolutions": "off by",
    "tutorial_iktranslation": ": [",
    "tutorial_iktranslation2d": "joints at [",
    "tutorial_inversereachability": "of 20 places",
    "tutorial_plotting": "6 drawings change",
    "visibilityplanning": "the hand holds the mug",
}


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """Examples with the same thing share what they compute of it."""
    folder = tmp_path_factory.mktemp("databases")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYRAVE_DATABASE", str(folder))
        yield


def test_each_example_is_here():
    assert sorted(SAID) == examples.names()
    assert len(SAID) == 36
    texts = examples.texts().values()
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(SAID)


@pytest.mark.parametrize("name", sorted(SAID))
def test_examples_run(openravepy, databases, name, capsys):
    if name.startswith("testphysics"):
        pytest.importorskip("mujoco")
    examples.run(name, ["--testmode"])
    assert SAID[name] in capsys.readouterr().out


def test_wrong_names_and_scenes_are_told(openravepy):
    with pytest.raises(pyrave.ArgumentError, match="did you mean 'collision'"):
        examples.run("colision")
    with pytest.raises(openravepy.openrave_exception, match="--scene: no/such"):
        examples.run("collision", ["--scene", "no/such.env.xml"])


def test_what_does_not_hold_ends_a_program():
    expect(True, "nothing")
    with pytest.raises(SystemExit) as ended:
        expect([], "there are none")
    # Python prints a text and exits with 1
    assert ended.value.code == "failed: there are none"


def test_scripts_import_examples_by_their_names(openravepy):
    from openravepy.examples import hanoi
    from openravepy.examples.grasps import hanoi as same

    assert hanoi.run.__doc__ == same.run.__doc__


def test_another_process_answers(openravepy):
    with ServerProcess() as server:
        assert server.call("Load", "scenes/minimal.env.xml") is True
        assert server.call("GetRobot/GetDOF", "planar3r") == 3
        with pytest.raises(RuntimeError, match=r"GetNone.*AttributeError"):
            server.call("GetNone")


def test_clicks_of_scripts_meet_what_is_there(env):
    env.Load("scenes/demo.env.xml")
    env.SetViewer("qtcoin")
    viewer = env.GetViewer()
    clicks = []
    handle = viewer.RegisterItemSelectionCallback(
        lambda link, point, _: clicks.append((link, point))
    )
    # from above, down
    viewer.SetCamera([0, 1, 0, 0, 1.0, 1.0, 3.0])
    assert viewer.SendCommand("Click") is not None
    ((link, point),) = clicks
    assert link.GetParent() == env.GetKinBody("room")
    assert point == pytest.approx((1, 1, 0), abs=1e-6)
    viewer.SetCamera([0, 1, 0, 0, 1.0, 1.0, -3.0])
    assert viewer.SendCommand("Click") is None
    handle.close()
    viewer.SetCamera([0, 1, 0, 0, 1.0, 1.0, 3.0])
    viewer.SendCommand("Click")
    assert len(clicks) == 1


def test_images_of_web_viewers_have_what_scripts_drew():
    pytest.importorskip("viser")
    env = pyrave.load("scenes/minimal.env.xml")
    viewer = env.create("viewer", "viser")
    sight = 64, 48, [0, 1, 0, 0, 0.3, 0.0, 2.0], [60, 60, 32, 24]
    before = viewer.get_camera_image(*sight)
    box = env.draw.box([0.3, 0.0, 0.5], [0.1, 0.1, 0.1])
    assert (viewer.get_camera_image(*sight) != before).any()
    box.close()
    assert (viewer.get_camera_image(*sight) == before).all()
