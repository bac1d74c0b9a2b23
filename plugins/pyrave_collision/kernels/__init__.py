"""Compiled once per machine; every solid is data."""
