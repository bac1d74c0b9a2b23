"""Parts of sensors of bodies: motion, loads, motors, errors."""
