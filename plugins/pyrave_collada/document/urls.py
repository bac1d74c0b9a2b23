"""Names of other documents: files next to this one, or below the resource roots."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH117, PTH118

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pyrave.errors import ResourceError, SceneError

if TYPE_CHECKING:
    from pyrave.formats import Resolver
    from pyrave.formats.output.file_names import FileNames

_SCHEME = "openrave:"
_PLAIN = "/-_.~!$&'()*+,;=:@"
"""Signs that need no escape in a URL."""


def url_of(path: str, names: FileNames, folder: str | None) -> str:
    """Return the URL by which a file written to a folder refers to another one.

    Files of data folders get the names that OpenRAVE finds from anywhere.
    """
    name = names.name_of(path)
    url = quote(name, _PLAIN)
    if folder is None or os.path.isabs(name):
        return url
    is_beside = os.path.isfile(os.path.join(folder, name))
    return url if is_beside else f"{_SCHEME}/{url}"


def resolve_url(url: str, resolver: Resolver, folder: str | None) -> str:
    """Return the absolute path of the document that a URL without fragment names.

    ``openrave:`` names lie below a resource root or a data folder, or else below the
    folder of the document, and never above it; what they say of a user and a host has
    no meaning. Other names are those of files.

    Parameters
    ----------
    folder
        Where relative names start, or None.

    Raises
    ------
    ResourceError
        There is no such file, or it lies outside the resource roots.
    SceneError
        The name needs a network, or leads out of the folders that it is meant for.
    """
    if not url.lower().startswith(_SCHEME):
        try:
            return resolver.resolve(url, folder)
        except ResourceError:
            plain = unquote(url)
            if plain == url or url.lower().startswith("file:"):
                raise
            return resolver.resolve(plain, folder)
    path = url[len(_SCHEME) :].replace("\\", "/")
    if path.startswith("//"):
        path = path[2:].partition("/")[2]
    path = posixpath.normpath(unquote(path).lstrip("/"))
    if "\0" in path or path.split("/")[0] in {"", ".", ".."} or os.path.isabs(path):
        raise SceneError(
            f"{url!r} does not name a file below a resource root; write for example "
            "openrave:/robots/arm.dae"
        )
    folders = [*resolver.search_folders(), *([folder] if folder is not None else [])]
    for one in folders:
        there = os.path.join(one, path)
        if os.path.isfile(there):
            return resolver.resolve(there, one)
    raise ResourceError(url, folders, "add its folder to resource_roots or PYRAVE_DATA")
