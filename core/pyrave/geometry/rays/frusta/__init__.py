"""Packets of rays and the boxes of a tree."""
