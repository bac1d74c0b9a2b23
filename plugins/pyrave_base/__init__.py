"""Built-in controllers, samplers and generic engines."""
