"""The command ``pyrave ik``: statistics, reachability, explanations."""
