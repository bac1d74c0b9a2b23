"""Links that are tied to each other: by constraints, loops and suction cups."""
