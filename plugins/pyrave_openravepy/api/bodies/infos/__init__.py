"""Infos: what bodies are made of, as data, and pyrave's descriptions of them."""
