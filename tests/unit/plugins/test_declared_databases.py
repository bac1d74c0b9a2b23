"""Kinds of databases in metadata."""

from __future__ import annotations

import sys

import pytest

from pyrave.databases import GraspDatabase
from pyrave.errors import NotFoundError, PluginError

SOURCE = """
from pyrave.databases import Database

class Weights(Database):
    kind = "weights"

class Other(Database):
    kind = "other"
"""


def registry_of(site, entries):
    groups = {"pyrave.databases": entries}
    site.distribution("acme-weights", groups, sources={"acme_weights": SOURCE})
    return site.registry()


def test_a_kind_is_listed_without_an_import_and_found(site):
    registry = registry_of(site, {"weights": "acme_weights:Weights"})
    assert registry.database_kinds() == ("weights",)
    assert "acme_weights" not in sys.modules
    made = registry.database_class("weights")
    assert (made.__name__, made.kind) == ("Weights", "weights")
    assert registry.database_class("grasping") is GraspDatabase
    said = "no kind of database 'weight', did you mean 'weights'.*grasping.*weights"
    with pytest.raises(NotFoundError, match=said):
        registry.database_class("weight")


def test_the_own_kinds_go_first(site):
    registry = registry_of(site, {"grasping": "acme_weights:Weights"})
    assert registry.database_class("grasping") is GraspDatabase


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("acme_weights:__name__", "is 'acme_weights', expected a Database"),
        ("acme_weights:Other", "is of kind 'other', but its entry point says 'weigh"),
        ("acme_weights:Nothing", "Nothing"),
    ],
)
def test_what_is_no_database_is_told(site, target, said):
    registry = registry_of(site, {"weights": target})
    with pytest.raises(PluginError, match=said):
        registry.database_class("weights")
    (record,) = registry.records()
    assert record.kind.value == "database"
    assert not record.state.usable
