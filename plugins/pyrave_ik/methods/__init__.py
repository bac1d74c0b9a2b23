"""Methods that solve loops, by cited names; `table` has those of each arm."""
