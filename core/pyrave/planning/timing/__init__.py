"""Timing of paths within limits, and verification of the motions."""
