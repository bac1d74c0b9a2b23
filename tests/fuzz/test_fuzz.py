"""A few seconds of fuzzing for every reader, and inputs that once broke one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from targets import examine, find_target, targets

EXAMPLES = 120

QUIET = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("target", targets(), ids=repr)
def test_seeds_are_accepted(target):
    """Fuzzing starts from valid inputs, or it would only reach the first check."""
    for seed in target.seeds:
        target.run(seed)


@pytest.mark.parametrize("target", targets(), ids=repr)
def test_only_pyrave_errors_escape(target):
    @QUIET
    @given(st.sampled_from(target.seeds or (b"",)), st.randoms(), st.integers(1, 6))
    def look(data, rng, rounds):
        for _ in range(rounds):
            data = target.mutate(data, rng, target.words)
        failure = examine(target, data)
        assert failure is None, f"{failure.trace}\n{data!r}"

    look()


@pytest.mark.parametrize("target", targets(), ids=repr)
def test_any_bytes_are_refused_or_read(target):
    @QUIET
    @given(st.binary(max_size=200))
    def look(data):
        failure = examine(target, data)
        assert failure is None, f"{failure.trace}\n{data!r}"

    look()


# (target, input): found by run.py and made as short as it could
FOUND = (
    (
        "database_members",
        (
            b'{"format": "pyrave-database", "format_version": 1}\0\0between\0\0'
            b"\x93NUMPY\x01\x00\x02\x00{\n"
        ),
    ),
    (
        "trajectory_xml",
        b"""<trajectory><configuration>
        <group name="joint_values a 0" offset="0" dof="1" interpolation="linear"/>
        <group name="deltatime" offset="1" dof="1"/></configuration>
        <data>1e999 0 0 1</data></trajectory>""",
    ),
    (
        "rewrite",
        b"""<kinbody name="t"><body><geom><geom><radius>5 4</radius></geom>
        </geom></body></kinbody>""",
    ),
    (
        "rpc_message",
        b"""{"jsonrpc": "2.0", "id": 0, "method": "set_transform",
        "params": {"body": "a", "transform": [1, 1e308, 0, 0, 0, 2, 0]}}""",
    ),
    ("text_command", b"env_raycollision 0 0 0 0 1e308 0 0 1 0 1 1 0 0"),
    ("text_command", b"robot_setactivedofs 1 2 0 1 8 1e308 0 1"),
    ("text_command", b"robot_traj 1 2 0 0 0 0 1 0"),
)


@pytest.mark.parametrize(("name", "data"), FOUND)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_was_found(name, data):
    failure = examine(find_target(name), data)
    assert failure is None, failure.trace
