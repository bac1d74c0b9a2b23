"""Tests of the package as it was built, with pytest and the contracts of pyrave."""
