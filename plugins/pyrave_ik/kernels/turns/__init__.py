"""All solutions of one loop, by the decomposition that is bound to it."""
