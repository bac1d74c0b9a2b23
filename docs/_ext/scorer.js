// How results of the search are ordered. Sphinx alone takes the best of the words of a
// query; here each word counts, most in the title of a page, more in a heading than in a
// text, and guides come before references.
var Scorer = {
  objNameMatch: 6,
  objPartialMatch: 2,
  objPrio: { 0: 3, 1: 1, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, , , , score, file, kind]) => {
    if (kind !== "text") return score;
    const { terms, titleterms, filenames, titles } = Search._index;
    const number = filenames.indexOf(file);
    const title = titles[number].toLowerCase();
    const has = (index, word) =>
      Object.hasOwn(index, word) && [index[word]].flat().includes(number);
    const query = new URLSearchParams(window.location.search).get("q") ?? "";
    let sum = 0;
    for (const word of Search._parseQuery(query)[1]) {
      if (title.includes(word)) sum += 12;
      else if (has(titleterms, word)) sum += 8;
      else sum += has(terms, word) ? 2 : 1;
    }
    if (/^(guides|tutorial)\//.test(page)) return sum + 3;
    return /^(contributing|notebooks|reference\/api)\//.test(page) ? sum - 6 : sum;
  },
};
