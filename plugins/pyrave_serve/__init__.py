"""Servers: an environment for programs in other languages, on this computer or others.

The module ``jsonrpcserver`` answers JSON-RPC over HTTP and WebSocket, the module
``textserver`` the text commands of OpenRAVE's server. ``pyrave serve`` starts either.
"""
