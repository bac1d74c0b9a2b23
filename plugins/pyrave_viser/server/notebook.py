"""Cards of viewers for notebooks: the page in a frame, and its address."""

from __future__ import annotations

import html
import os
from urllib.parse import urlsplit

# set by JupyterHub in the kernels that it starts: the path of the user's own server
HUB = "JUPYTERHUB_SERVICE_PREFIX"


def notebook_address(address: str) -> str:
    """Return the address that a notebook's browser opens for a page here.

    A notebook of a JupyterHub runs on another computer than the browser; its server
    passes pages on, with its extension ``jupyter-server-proxy``.
    """
    prefix = os.environ.get(HUB)
    port = urlsplit(address).port
    if not prefix or port is None:
        return address
    return f"{prefix.rstrip('/')}/proxy/{port}/"


def frame(address: str, height: int) -> str:
    """Return HTML with the page in a frame, and a link for where frames are refused.

    Parameters
    ----------
    address
        Of the viewer; empty where it is closed.
    height
        Pixels.
    """
    if not address:
        return "<p>This viewer is closed.</p>"
    reached = html.escape(notebook_address(address))
    note = ""
    if reached != html.escape(address):
        note = " through the notebook's server, with jupyter-server-proxy"
    return (
        f'<iframe src="{reached}" width="100%" height="{int(height)}" '
        'style="border:1px solid #8888" allow="fullscreen"></iframe>'
        f'<p><a href="{reached}" target="_blank" rel="noopener">{reached}</a>{note}</p>'
    )
