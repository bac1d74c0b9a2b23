"""The viewer ``viser``: an environment in the browser.

``viewer``, ``hooks``
    The interface, and the aliases of its id.
``session``, ``viewer_thread``, ``actions``
    An open viewer, the thread that shows what changed, what people do in a browser.
``server``
    Where the server listens, and who may say what to it.
``shown``
    Nodes of the scene in the browser: bodies, drawings, light, recorded motions.
``panels``
    What people use besides the scene itself: trees, sliders, buttons, replays.
``replay_page``
    Pages that replay a motion without a server.
``shared``, ``weak_callbacks``
    What the parts of an open viewer have in common, and how the server calls them.
"""
