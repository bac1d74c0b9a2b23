"""Robots, objects and scenes that ship with pyrave."""
