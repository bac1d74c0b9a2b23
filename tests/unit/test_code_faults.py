"""The faults of `support/code_faults.toml`, which tests must find, fit the code."""

import ast

import pytest
from code_faults import ROOT, read_faults

FAULTS = read_faults()


def test_there_are_enough_and_each_has_a_name_of_its_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 80


@pytest.mark.parametrize("room", sorted({fault.file.split("/")[0] for fault in FAULTS}))
def test_faults_are_in_the_code(room):
    """Once each, code with one is still Python, and its tests are there."""
    for fault in FAULTS:
        if fault.file.startswith(f"{room}/"):
            text = (ROOT / fault.file).read_text(encoding="utf-8")
            assert text.count(fault.before) == 1, fault.name
            assert fault.after != fault.before, fault.name
            if fault.file.endswith(".py"):
                ast.parse(text.replace(fault.before, fault.after))
            for test in fault.tests:
                file, _, name = test.partition("::")
                assert name in (ROOT / file).read_text(encoding="utf-8"), test
