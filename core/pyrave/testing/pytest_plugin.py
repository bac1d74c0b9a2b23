"""pytest plugin of pyrave."""
