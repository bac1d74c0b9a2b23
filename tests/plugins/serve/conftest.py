from __future__ import annotations

import pytest
from serving import RpcClient, TextClient

import pyrave


@pytest.fixture
def env():
    return pyrave.load("scenes/demo.env.xml")


@pytest.fixture
def server(env):
    """A JSON-RPC server of the demonstration scene."""
    made = env.create("module", "jsonrpcserver")
    made.open(port=0)
    yield made
    made.close()


@pytest.fixture
def call(server):
    client = RpcClient(server)
    yield client
    client.close()


@pytest.fixture
def text_server(env):
    """A text server of the demonstration scene."""
    made = env.create("module", "textserver")
    made.open(port=0)
    yield made
    made.close()


@pytest.fixture
def text(text_server):
    client = TextClient(text_server)
    yield client
    client.close()
