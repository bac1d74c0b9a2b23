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
    "CubicSmoother", "QuinticSmoother", "ruckig", "toppra",
)  # fmt: skip
# what does not apply to controllers that take efforts
WITHOUT_PATH = {
    "follows_a_path", "path_is_copied", "done_means_done", "stays_at_the_end",
    "what_a_path_leaves_out",
}  # fmt: skip
AT_ONCE = {"moves_with_time"}
OF_PATHS = {
    "ends", "within_limits", "goal_is_start", "repeatable", "reusable", "progress",
    "constraints", "walls",
}  # fmt: skip
WITHOUT_GOAL = {
    "moves_with_time",
    "path_is_copied",
    "follows_a_path",
    "goal_is_copied",
    "a_clone_goes_on",
    "done_means_done",
    "stays_at_the_end",
    "what_a_path_leaves_out",
}
# what is allowed not to apply, by interface id
SKIPS = {
    **dict.fromkeys(TIMING, OF_PATHS),
    "GenericCollisionChecker": {
        "overlap", "moves_along", "disabled", "excluded", "report", "grabbed",
        "closed_forms", "all_link_collisions", "ignored_pairs", "configurations",
        "moves_nothing", "bodies_go_away",
    },
    "GenericPhysicsEngine": {"dt"},
    "IdealController": AT_ONCE,
    "JointPIDController": AT_ONCE,
    "ComputedTorqueController": AT_ONCE,
    "OperationalSpaceController": AT_ONCE,
    "RedirectController": AT_ONCE,
    "GenericMultiController": WITHOUT_PATH | AT_ONCE,
    "DifferentialDrive": WITHOUT_PATH,
    "IdealVelocityController": WITHOUT_PATH,
    "JointVelocityController": WITHOUT_PATH,
    "TorqueController": WITHOUT_GOAL,
    "SpringJointController": WITHOUT_GOAL,
    "Halton": {"seed"},
    "Lattice": {"seed"},
    "SphereGrid": {"seed", "space"},  # a sphere has two dimensions
    "RotationGrid": {"seed"},
    # the arm of the contract stands free; `test_jitterers` has one that does not
    "ConfigurationJitterer": {"seed"},
    "WorkspaceConfigurationJitterer": {"seed"},
    # one has no goal, the other shortens what is there
    "ExplorationRRT": OF_PATHS,
    "shortcut_linear": OF_PATHS,
    "WorkspaceTrajectoryTracker": OF_PATHS,
    "Grasper": OF_PATHS,  # the planner of that id: where a hand closes is its goal
}  # fmt: skip
# of OMPL's planners, which are one class, one that ends with its first path and one
# that goes on; `test_ompl` plans once with each
OF_OMPL = {"OMPL_RRTConnect", "OMPL_InformedRRTstar"}


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
    if one.startswith("OMPL_") and one not in OF_OMPL:
        continue
    globals()[title] = type(title, (NothingElseIsSkipped, contract), {})


def test_all_of_pyrave_is_checked():
    kinds = {getattr(one, "interface_type", "") for one in CONTRACTS.values()}
    assert {"kinbody", "robot", "trajectory", "controller", "sensor"} <= kinds


def test_ompl_is_checked():
    assert {f"TestPlanner{one}" for one in OF_OMPL} <= globals().keys()


@pytest.mark.slow
def test_a_plugin_is_checked_in_a_process():
    report = check_plugin("pyrave_openrave_xml")
    assert report.ok, str(report)
    assert {one.test for one in report.of("passed")} >= {"TestPlugin::test_formats"}
