"""The part of a continuum about one solution."""
