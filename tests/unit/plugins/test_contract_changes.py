"""Classes for older contracts: refused where they would act otherwise in silence."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.errors import PluginError
from pyrave.interfaces import CONTRACT_CHANGES, CONTRACTS, INTERFACE_TYPES
from pyrave.plugins import default_registry
from pyrave.plugins.contracts import contract_problem, contract_warning, interface_base
from pyrave.plugins.records import PluginState


class RangeFinder(pyrave.SensorBase):
    """A sensor of the first contract: it is told where it is."""

    contract = 1

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.pose = np.eye(4)

    def configure(self, command, blocking=False):
        return 1

    def get_sensor_geometry(self, sensor_type=0):
        return pyrave.SensorGeometry()

    def create_sensor_data(self, sensor_type=0):
        return pyrave.LaserData()

    def get_sensor_data(self, data):
        return False

    def supports(self, sensor_type):
        return True


class Placed(RangeFinder):
    """It keeps what it was told."""

    def set_transform(self, transform):
        self.pose = transform

    def get_transform(self):
        return self.pose


class Mended(Placed):
    contract = 2

    set_transform = pyrave.SensorBase.set_transform
    get_transform = pyrave.SensorBase.get_transform


class Heir(Mended):
    """Its own number is old, what it does is up to date."""

    contract = 1


def test_every_type_has_the_number_of_its_last_change():
    assert CONTRACTS.keys() == set(INTERFACE_TYPES)
    for kind, number in CONTRACTS.items():
        numbers = sorted(CONTRACT_CHANGES.get(kind, {}))
        assert numbers == list(range(2, number + 1))
        base = interface_base(kind)
        assert base.contract == number
        for change in CONTRACT_CHANGES.get(kind, {}).values():
            assert all(hasattr(base, name) for name in change.methods)


def test_an_older_class_that_defines_what_changed_is_refused():
    env = pyrave.Environment()
    with pytest.raises(PluginError) as caught:
        env.register("sensor", "Placed", Placed)
    text = str(caught.value)
    assert "Placed is written for contract 1 of sensor, this pyrave has" in text
    assert "since contract 2: set_transform is not called for a mounted sensor" in text
    assert "(it defines get_transform, set_transform); update the plugin" in text


def test_any_other_older_class_goes_on_with_a_warning(caplog):
    env = pyrave.Environment()
    env.register("sensor", "RangeFinder", RangeFinder)
    (told,) = [record.getMessage() for record in caplog.records]
    assert "RangeFinder is written for contract 1 of sensor" in told
    assert "since contract 2: set_transform is not called" in told
    assert env.create("sensor", "RangeFinder").interface_id == "RangeFinder"


def test_what_is_up_to_date_counts_from_there():
    for cls in (Mended, Heir):
        assert contract_problem(cls, "sensor") is None
    assert contract_warning(Mended, "sensor") is None
    assert "contract 1 of sensor" in contract_warning(Heir, "sensor")


@pytest.mark.parametrize("kind", sorted(CONTRACT_CHANGES))
def test_each_change_is_said_of_a_class_that_it_concerns(kind):
    base = interface_base(kind)
    for number, change in CONTRACT_CHANGES[kind].items():
        names = sorted(change.methods)
        members = {name: lambda *_: None for name in names}
        old = type("Old", (base,), {**members, "contract": number - 1})
        told = contract_problem(old, kind) or contract_warning(old, kind)
        assert f"since contract {number}: {change.what}" in told
        assert (contract_problem(old, kind) is None) == (not names)


def test_a_class_that_states_nothing_is_of_the_first_contract():
    silent = type(
        "Silent", (pyrave.SensorBase,), {"get_state": lambda self: 1, "__module__": "a"}
    )
    assert "a.Silent is written for contract 1" in contract_problem(silent, "sensor")


def test_our_own_plugins_are_up_to_date():
    registry = default_registry()
    registry.load_all()
    for record in registry.records():
        if record.distribution == "pyrave":
            assert record.warning == "", record.label
            assert record.state is PluginState.LOADED or not record.interface_type
