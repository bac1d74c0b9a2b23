// How the search finds and orders pages. Sphinx alone finds the pages that have all words
// of a query, and takes the best of the words; here a page may lack a word, or more where
// no page has more. Each word counts, most in the title of a page, more in a heading than
// in a text, and guides come before references.
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
    const { titleterms, filenames, titles, terms } = Search._index;
    const number = filenames.indexOf(file);
    const title = titles[number].toLowerCase();
    const has = (index, word) =>
      Object.hasOwn(index, word) && [index[word]].flat().includes(number);
    let sum = 0;
    for (const [word, pages] of Scorer.pagesOfWords) {
      const rarity = Math.log2(filenames.length / pages.size);
      if (!pages.has(file)) sum -= 3 * rarity;
      else if (title.includes(word)) sum += 4 * rarity + 6;
      else if (has(titleterms, word)) sum += 3 * rarity + 3;
      else sum += has(terms, word) ? rarity + 1 : 1;  // or a part of another word
    }
    if (/^(guides|tutorial)\//.test(page)) return sum + 3;
    const late = /^(contributing|notebooks|reference\/(api|names|openrave))/;
    return late.test(page) ? sum - 6 : sum;
  },
};

// Search is of another script, which may come later
queueMicrotask(() => {
  const pagesWithAll = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const found = new Map();
    const counts = new Map();
    Scorer.pagesOfWords = new Map();
    for (const word of words) {
      const results = pagesWithAll(new Set([word]), excluded);
      if (results.length > 0)
        Scorer.pagesOfWords.set(word, new Set(results.map((one) => one[5])));
      for (const one of results) {
        found.set(one[5], one);
        counts.set(one[5], (counts.get(one[5]) ?? 0) + 1);
      }
    }
    const most = Math.max(...counts.values());
    const least = words.size > 2 ? most - 1 : most;
    return [...found.values()].filter((one) => counts.get(one[5]) >= least);
  };
});
