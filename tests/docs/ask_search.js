// Asks the search of a built site: node ask_search.js SITE < queries, one a line.
// Prints the names of the pages that each query finds, the best first, as JSON.
const fs = require("node:fs");
const path = require("node:path");

const site = path.join(process.argv[2], "/");
const read = (name) => fs.readFileSync(path.join(site, name), "utf8");
const nothing = () => undefined;
const queries = fs.readFileSync(0, "utf8").trim().split("\n");

// what the scripts ask of a browser
const page = `
  const window = {};
  const document = { getElementById: () => ({}) };
  const SPHINX_HIGHLIGHT_ENABLED = false;
  const _ready = nothing, _ = (text) => text;
`;
const ask = `
  var Stemmer = window.Stemmer ?? Stemmer;
  Search.setIndex = (index) => (Search._index = index);
  ${read("searchindex.js")}
  return Promise.resolve().then(() => queries.map((query) => {
    const found = Search._performSearch(...Search._parseQuery(query));
    return [...new Set(found.reverse().map((one) => one[0]))];
  }));
`;
const scripts = ["_static/language_data.js", "_static/searchtools.js"].map(read);
const run = new Function("queries", "nothing", [page, ...scripts, ask].join("\n"));
run(queries, nothing).then((pages) => console.log(JSON.stringify(pages)));
