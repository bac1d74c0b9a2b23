"""The viewer ``viser``: an environment in the browser.

The modules by what they are for, from the bottom up:

- numbers: `quaternions`, `surfaces` (triangles as browsers shade them);
- what is shown: `solids` (of bodies), `pools` (many alike), `bodies`, `drawn` (what
  scripts draw), `stage` (light, ground, camera);
- `serving` starts and ends the server, `actions` are what people do in a browser,
  `ticking` is the thread that shows what changed;
- what people use: `tree`, `joints`, `gizmos`, `sensors`, `looks`, `clicks`, `files`,
  put together by `panels`;
- `recording` writes pages that replay; `viewer` is the interface, `hooks` the aliases.
"""
