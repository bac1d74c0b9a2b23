"""Clients of servers, as small as those of users."""

from __future__ import annotations

import http.client
import json
import socket
import struct
from ipaddress import IPv4Address

PATIENCE = 120.0
EVERYWHERE = str(IPv4Address(0))


class RpcClient:
    """Calls methods over HTTP, with one connection."""

    def __init__(self, server, *, token=""):
        self.port = server.port
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._connection = http.client.HTTPConnection(
            "localhost", server.port, timeout=PATIENCE
        )

    def __call__(self, method, /, **params):
        """Return the result; raises RpcFailureError."""
        answer = self.send(
            {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        )
        if "error" in answer:
            raise RpcFailureError(answer["error"])
        return answer["result"]

    def send(self, data):
        """Return what is said to JSON data, None for nothing."""
        status, body = self.post(json.dumps(data))
        assert status in {200, 204}
        return json.loads(body) if body else None

    def post(self, body, **headers):
        """Return status and body."""
        self._connection.request("POST", "/", body, self._headers | headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def close(self):
        self._connection.close()


def known_client(server, *, token=""):
    """Return a client that has asked for something, and stays."""
    client = RpcClient(server, token=token)
    assert client("get_time") is not None
    return client


class RpcFailureError(Exception):
    """The server answers with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.data = error["code"], error.get("data")


class TextClient:
    """Sends lines; answers come behind their length."""

    def __init__(self, server):
        address = ("localhost", server.port)
        self.socket = socket.create_connection(address, timeout=PATIENCE)

    def tell(self, line):
        """Send a command that nobody answers."""
        self.socket.sendall(line.encode() + b"\n")

    def ask(self, line):
        """Send a command and return its answer."""
        self.tell(line)
        return self.read()

    def numbers(self, line):
        """Return the numbers of an answer."""
        return [float(word) for word in self.ask(line).split()]

    def read(self):
        """Return the next answer."""
        (length,) = struct.unpack("<i", self._bytes(4))
        return self._bytes(length).decode()

    def _bytes(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def close(self):
        self.socket.close()
