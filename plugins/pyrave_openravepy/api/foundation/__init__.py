"""Foundations of all objects of the API.

``errors``
    `openrave_exception` and its kin.
``guard``
    Calls whose errors become `openrave_exception`.
``objects``
    One object of the API for each of pyrave's.
``refusals``
    Names that are refused with a message, as the table of names says.
``logs``
    `RaveLog...` and the levels of debugging.
"""
