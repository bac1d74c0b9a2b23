"""``pyrave serve``: a scene for programs in other languages."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from pyrave.cli.options import StartOptions
from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from pyrave.environment import Environment

_NO_OPTIONS = StartOptions()
_PORT = validators.Number(gte=0, lt=65536)
_WAIT = 0.2


def serve(
    file: Path | None = None,
    *,
    host: str = "localhost",
    port: Annotated[int | None, Parameter(validator=_PORT)] = None,
    token: str | None = None,
    text: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    text_port: Annotated[int | None, Parameter(validator=_PORT)] = None,
    text_host: str = "localhost",
    write: Annotated[tuple[Path, ...], Parameter(negative="", show_default=False)] = (),
    simulate: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Serve a scene to other programs until interrupted (Ctrl-C).

    They call methods by JSON-RPC 2.0 over HTTP or WebSocket, or send the text commands
    of OpenRAVE's server. It needs the extra serve: pip install 'pyrave[serve]'.

    Parameters
    ----------
    file
        Scene or robot file, or the name of a robot; nothing is loaded without.
    host
        Where it listens. Others than this computer reach it only if asked for, as with
        0.0.0.0, and then they need the token, which is printed.
    port
        Where it listens, 0 for any port that is free; by default 8765, or the next one
        that is free.
    token
        What clients must know, 16 letters or more; "auto" makes one. There is always
        one where others than this computer reach the server.
    text
        Answer text commands, too, on a port of its own. They know no token, so a server
        that has one refuses this.
    text_port
        Where it answers text commands, 0 for any port that is free; by default 4765, or
        the next one that is free.
    text_host
        Where it answers text commands. Who reaches it needs no password.
    write
        Folder below which commands of clients may write files, such as a camera's
        SaveImage; may be repeated. They write nowhere without.
    simulate
        Let simulated time pass, as fast as real time.
    json
        Print the addresses as JSON (schema pyrave-serve/1).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.joints import set_states
    from pyrave.environment import Environment

    with_text = text or text_port is not None
    if with_text and token is not None:
        raise ArgumentError(
            "the text protocol knows no token: whoever reaches its port may call. "
            "Leave out --text or --token, or start two servers"
        )
    if file is None:
        env = Environment()
        set_states(env, loading.state)  # there is none of that name
    else:
        env, _ = loading.load(file, strict=strict)
    folders: dict[str, Any] = {
        "resource_roots": loading.resource_root,
        "package_dirs": loading.package_dir,
        "write_roots": write,
    }
    server_of = partial(env.registry.default_id, "module")
    wanted = {server_of("json_rpc"): {"host": host, "port": port, "token": token}}
    if with_text:
        wanted[server_of("text")] = {"host": text_host, "port": text_port}
    # what is known of servers here is what `ServerModule` of the plugin has
    servers: list[Any] = [env.create("module", kind) for kind in wanted]
    opened: dict[str, Any] = {}
    try:
        if simulate:
            env.start()
        for server, (kind, options) in zip(servers, wanted.items(), strict=True):
            opened[kind] = server.open(**options, **folders)
        _print(env, opened, json)
        while not any(server.wait(_WAIT) for server in servers):
            pass
    finally:
        env.stop()
        for server in servers:
            server.close()
    return 0


def _print(env: Environment, opened: dict[str, Any], json: bool) -> None:
    """Print the addresses of the servers."""
    from pyrave.cli.output import console, print_json

    if not json:
        for one in opened.values():
            console().print(one.address, soft_wrap=True, markup=False)
        console().print("(Ctrl-C ends it)", highlight=False)
        return
    data = {
        kind: {
            "address": one.address,
            "host": one.host,
            "port": one.port,
            "token": one.token or None,
        }
        for kind, one in opened.items()
    }
    bodies = list(env.bodies.names)
    print_json({"schema": "pyrave-serve/1", "bodies": bodies, **data})
