"""Scenes that tests keep in files beside them."""

from pathlib import Path

__all__ = ["scene_beside"]


def scene_beside(test_file, name):
    """Return the text of a file in the folder ``files`` beside a test."""
    return (Path(test_file).parent / "files" / name).read_text("utf-8")
