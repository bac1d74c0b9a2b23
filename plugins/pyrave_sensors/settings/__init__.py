"""Settings of sensors: fields that describe themselves, and their XML."""
