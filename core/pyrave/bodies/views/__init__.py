"""Objects of a body as scripts see them: links, joints, and groups of settings."""
