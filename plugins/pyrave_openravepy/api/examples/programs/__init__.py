"""Examples that start other examples."""
