"""Bodies that tests make."""


def new_body(env):
    """Return a new body that is not in its environment yet."""
    from openravepy.foundation.objects import wrap

    return wrap(env._native.create("kinbody", ""))
