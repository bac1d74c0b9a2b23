"""Aliases of sensors make the same objects, under the name that was asked for."""

from __future__ import annotations

import pyrave
from pyrave.plugins import default_registry
from pyrave_sensors.hooks import ALIASES


def test_each_alias_makes_a_sensor_of_its_class():
    env = pyrave.Environment()
    for alias, name in ALIASES.items():
        made = env.create("sensor", alias)
        assert made.interface_id == alias
        assert type(made) is type(env.create("sensor", name)), alias


def test_each_alias_has_the_tags_of_its_sensor():
    """An unknown tag is named with all that are known."""
    text = "<environment><sensor type='{}' name='s'>{}</sensor></environment>"
    for alias, name in ALIASES.items():
        messages = []
        for one in (alias, name):
            env = pyrave.Environment()
            env.load_string(text.format(one, "<nonesuch>1</nonesuch>"))
            messages.append([p.message.replace(one, "ID") for p in env.problems])
            assert env.sensors["s"].interface_id == one
        assert messages[0] == messages[1], alias
        assert "nonesuch" in messages[0][0], alias


def test_aliases_are_listed_but_are_no_interfaces_of_their_own():
    registry = default_registry()
    assert set(ALIASES) < set(registry.ids("sensor"))
    records = [one for one in registry.records() if one.distribution == "pyrave"]
    declared = {one for r in records for one in r.interfaces.get("sensor", ())}
    assert not declared & set(ALIASES)
    listed = [one for record in records for one in record.aliases]
    assert {alias: name for kind, alias, name in listed if kind == "sensor"} == ALIASES
