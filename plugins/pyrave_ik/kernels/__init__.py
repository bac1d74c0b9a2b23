"""Compiled once per machine; every robot is data."""
