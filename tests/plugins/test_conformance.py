"""Every interface that pyrave itself supplies keeps the contract of its type."""

from __future__ import annotations

import pytest

from pyrave.testing import check_plugin, plugin_contracts

# planners that take a path, not a goal
TIMING = (
    "LinearTrajectoryRetimer", "ParabolicTrajectoryRetimer",
    "ParabolicTrajectoryRetimer2", "CubicTrajectoryRetimer",
    "CubicTrajectoryRetimer2", "QuinticTrajectoryRetimer", "LinearSmoother",
    "ParabolicSmoother", "ParabolicSmoother2", "ConstraintParabolicSmoother",
    "CubicSmoother", "QuinticSmoother",
)  # fmt: skip
# what does not apply to controllers that take efforts
WITHOUT_GOAL = {
    "follows_a_path",
    "goal_is_copied",
    "a_clone_goes_on",
    "done_means_done",
}
# what is allowed not to apply, by interface id
SKIPS = {
    **{
        name: {"ends", "within_limits", "goal_is_start", "repeatable", "reusable"}
        for name in TIMING
    },
    "GenericCollisionChecker": {
        "overlap", "moves_along", "disabled", "excluded", "report", "grabbed",
        "closed_forms", "all_link_collisions", "ignored_pairs", "configurations",
    },
    "GenericMultiController": {"follows_a_path", "done_means_done"},
    "DifferentialDrive": {"follows_a_path", "done_means_done"},
    "IdealVelocityController": {"follows_a_path", "done_means_done"},
    "JointVelocityController": {"follows_a_path", "done_means_done"},
    "PoseDeviceController": {"done_means_done"},
    "TorqueController": WITHOUT_GOAL,
    "SpringJointController": WITHOUT_GOAL,
    "Halton": {"seed"},
    # one has no goal, the other shortens what is there
    "ExplorationRRT": {
        "ends", "within_limits", "goal_is_start", "repeatable", "reusable",
    },
    "shortcut_linear": {
        "ends", "within_limits", "goal_is_start", "repeatable", "reusable",
    },
    "WorkspaceTrajectoryTracker": {
        "ends", "within_limits", "goal_is_start", "repeatable", "reusable",
    },
}  # fmt: skip
# what does not fit the robots of the kit's own scene
SCENES = {"ArmAngle": "robots/arms/iiwa14.robot.xml"}


class NothingElseIsSkipped:
    """A contract whose tests may be skipped only where `SKIPS` says so."""

    @pytest.fixture(autouse=True)
    def _note_the_test(self, request):
        self.running_test = request.function.__name__.removeprefix("test_")

    def not_applicable(self, reason):
        assert self.running_test in SKIPS.get(self.interface_id[7:], ()), reason
        pytest.skip(reason)


CONTRACTS = plugin_contracts("pyrave")
for title, contract in CONTRACTS.items():
    one = getattr(contract, "interface", "").removeprefix("pyrave:")
    scene = {"scene": SCENES[one]} if one in SCENES else {}
    globals()[title] = type(title, (NothingElseIsSkipped, contract), scene)


def test_all_of_pyrave_is_checked():
    kinds = {getattr(one, "interface_type", "") for one in CONTRACTS.values()}
    assert {"kinbody", "robot", "trajectory", "controller", "sensor"} <= kinds


@pytest.mark.slow
def test_a_plugin_is_checked_in_a_process():
    report = check_plugin("pyrave_openrave_xml")
    assert report.ok, str(report)
    assert {one.test for one in report.of("passed")} >= {"TestPlugin::test_formats"}
