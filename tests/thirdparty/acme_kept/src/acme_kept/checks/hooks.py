"""The hooks of the package are called."""

import gc

import pyrave
from acme_kept import hooks


def test_added_bodies_are_noted():
    env = pyrave.Environment()
    env.load_string("<kinbody name='a'><body name='b'/></kinbody>")
    assert hooks.added_bodies(env) == ["a"]
    del env
    gc.collect()
    assert not len(hooks._ADDED)
