"""The viewer ``viser``: an environment in the browser.

The modules by what they are for, from the bottom up:

- numbers: `colors`, `quaternions`, `surfaces` (triangles as browsers shade them);
- what is shown: `solids` (of bodies), `pools` (many alike), `bodies`, `drawn` (what
  scripts draw), `stage` (light, ground, camera);
- `serving` starts and ends the server, `actions` are what people do in a browser,
  `ticking` is the thread that shows what changed;
- what people use: `tree`, `joints`, `gizmos`, `sensors`, `looks`, `contacts`,
  `clicks`, `measures`, `files`, `replay` (of `films`), `controls`, put together by
  `panels`;
- `shared` is what panels have in common, `texts` what they say of scenes, `weakly` how
  the server calls them; `session` is an open viewer;
- `recording` writes pages that replay; `viewer` is the interface, `hooks` the aliases.
"""
