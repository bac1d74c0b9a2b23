"""A scene in one program, used by another one that has no pyrave.

The second program is a text: any language with HTTP and JSON does the same.
"""

from __future__ import annotations

import subprocess
import sys

import pyrave
from pyrave_serve.rpc.server import JsonRpcServer

OTHER = """
import json, sys, urllib.request

def call(method, **params):
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    header = {"Content-Type": "application/json"}
    request = urllib.request.Request(sys.argv[1], json.dumps(asked).encode(), header)
    answer = json.load(urllib.request.urlopen(request))
    if "error" in answer:
        sys.exit(answer["error"]["message"])
    return answer["result"]

robot = "heron7"
plan = call("plan", robot=robot, values={"joint1": 0.5}, seed=0)
done = call("execute", trajectory=plan["trajectory"])
scan = call("read_sensor", sensor="heron7:laser", fields=["distances"], measure=True)
near = min(one for one in scan["distances"] if isinstance(one, float))
print(f"arrived: {done['arrived']}, the nearest thing is {near:.2f} m away")
"""


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    server = JsonRpcServer(env)
    server.open(port=0)
    try:
        # without this program's packages
        command = [sys.executable, "-I", "-S", "-c", OTHER, server.address]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    finally:
        server.close()
    print(done.stdout.strip())
    print(f"joint1 is {env.robots['heron7'].dof_values[0]:.2f} rad here, too")


if __name__ == "__main__":
    main()
