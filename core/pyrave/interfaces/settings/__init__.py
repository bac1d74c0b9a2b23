"""Settings of parts: their declaration, types, texts, and the parts they belong to."""
