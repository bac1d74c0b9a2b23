"""What sensors of bodies are made of: motion, loads, motors, errors."""
