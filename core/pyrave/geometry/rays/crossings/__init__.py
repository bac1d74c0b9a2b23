"""All surfaces that rays cross."""
