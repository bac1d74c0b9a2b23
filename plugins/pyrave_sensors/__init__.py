"""Built-in sensors."""
