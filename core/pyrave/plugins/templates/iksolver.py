"""Template of an inverse kinematics solver: damped least squares."""

from pyrave.plugins.templates.base import TypeTemplate

_SOURCE = '''
_N_STARTS = 20
_N_ITERATIONS = 100
_PRECISION = 1e-6
_DAMPING = 1e-3


class @id@(IkSolverBase):
    """Finds joint values numerically, by damped least squares from several starts.

    Goals are poses or positions of the tool in world axes. Joint limits always hold;
    `solve_all` returns what 20 seeded random starts find, which may not be all.
    """

    contract = 2

    @override@ init
        return super().init(manipulator) and len(manipulator.arm_indices) > 0

    @override@ supports
        return IkParameterizationType.of(kind) in {
            IkParameterizationType.Transform6D,
            IkParameterizationType.Translation3D,
        }

    @override@ solve_all
        arm = self.require_manipulator()
        if not self.supports(goal.type):
            raise ArgumentError(f"{self!r} cannot solve goals of type {goal.type.name}")
        if free is not None and np.size(free):
            raise ArgumentError(f"{self!r} has no free parameters")
        end = math.inf if timeout is None else time.monotonic() + timeout
        robot, indices = arm.robot, arm.arm_indices
        lower, upper = (np.clip(b[indices], -np.pi, np.pi) for b in robot.dof_limits)
        random = np.random.default_rng(0)
        starts = random.uniform(lower, upper, (_N_STARTS, len(indices)))
        starts[0] = robot.dof_values[indices]
        found = np.empty((0, len(indices)))
        with robot.preserve_state():
            for start in starts:
                if time.monotonic() > end:
                    break
                robot.set_dof_values(start, indices)
                if _descend(arm, goal):
                    q = robot.dof_values[indices]
                    if not any(np.allclose(q, other, atol=1e-4) for other in found):
                        found = np.vstack((found, q))
        if not len(found):
            text = f"no start out of {_N_STARTS} reached the goal"
            return [IkReturn(IkAction.REJECT_KINEMATICS, failures=(text,))]
        return self.checked(found, goal, options)


def _descend(arm: Manipulator, goal: IkParameterization) -> bool:
    """Move the robot towards the goal; True if it gets there."""
    robot, indices = arm.robot, arm.arm_indices
    whole = goal.type == IkParameterizationType.Transform6D
    target = pose_from_wxyz_xyz(goal.values) if whole else np.eye(4)
    if not whole:
        target[:3, 3] = goal.values
    lower, upper = (bound[indices] for bound in robot.dof_limits)
    for _ in range(_N_ITERATIONS):
        pose, jacobian = arm.transform, arm.jacobian()
        turn = rotation_vector(target[:3, :3] @ pose[:3, :3].T)
        error = np.concatenate((target[:3, 3] - pose[:3, 3], turn))
        if not whole:
            error, jacobian = error[:3], jacobian[:3]
        if np.abs(error).max() < _PRECISION:
            return True
        square = jacobian @ jacobian.T + _DAMPING**2 * np.eye(error.size)
        step = jacobian.T @ np.linalg.solve(square, error)
        step *= min(1.0, 0.5 / max(np.abs(step).max(), 1e-12))
        q = np.clip(robot.dof_values[indices] + step, lower, upper)
        robot.set_dof_values(q, indices)
    return False
'''

_TEST = """
def test_it_reaches_poses_that_the_arm_can_reach(scene):
    robot = scene.robots["arm"]
    arm = robot.manipulators[0]
    arm.ik_solver = "@id@"
    robot.dof_values = wanted = np.array([0.4, 0.9])
    pose = arm.transform
    robot.dof_values = np.zeros(2)
    np.testing.assert_allclose(arm.solve_ik(pose), wanted, atol=1e-3)
    goal = pyrave.IkParameterization.translation_3d(pose[:3, 3])
    assert len(arm.solve_ik(goal, all=True)) == 2  # elbow on either side
    far = pyrave.IkParameterization.translation_3d((9, 9, 9))
    assert "no start" in arm.ik_solver.solve(far).failures[0]
"""

TEMPLATE = TypeTemplate(_SOURCE, _TEST)
