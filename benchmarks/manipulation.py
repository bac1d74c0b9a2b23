"""Grasps and manipulation: ``python benchmarks/manipulation.py TOPIC [options]``.

Each topic is a module beside this one, with its own ``--help``.
"""

from __future__ import annotations

import importlib
import sys

TOPICS = {
    "chaos": "manipulation_chaos",
    "closure": "manipulation_closure",
    "grasps": "manipulation_grasps",
    "hanoi": "manipulation_hanoi",
    "physics": "manipulation_physics",
    "pick": "manipulation_pick",
    "views": "manipulation_views",
    "reach": "manipulation_reach",
}


def main() -> None:
    """Run one topic."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in TOPICS:
        raise SystemExit(f"expected one of: {', '.join(TOPICS)}; got {name!r}")
    importlib.import_module(TOPICS[name]).main(sys.argv[2:])


if __name__ == "__main__":
    main()
