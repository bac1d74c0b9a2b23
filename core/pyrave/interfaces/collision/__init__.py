"""Collision queries: options, reports, batches, and which pairs of links count."""
