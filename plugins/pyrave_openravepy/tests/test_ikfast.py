"""The generator of inverse kinematics says what is there instead."""

import pytest


def test_generation_names_what_to_use(openravepy):
    from openravepy import ikfast

    for call in (
        ikfast.IKFastSolver,
        lambda: ikfast.Pow_eval_subs(1, 2),
        lambda: ikfast.IKFastSolver.generateIkSolver(0, 6),
    ):
        with pytest.raises(openravepy.NotSupportedError, match="without generation"):
            call()
