"""The collision checker ``coal``, on the library of that name."""
