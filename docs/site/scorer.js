/* The order of search results: a page or a section whose title is what was searched for, then what explains, then the
   reference, then sources and history. Pages of one kind with the same words are alike. */
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
    const last = title.toLowerCase().split(" > ").pop();
    if (last === query) score += 100;
    const kinds = [
      [/^(guides|errors)\//, 12], [/^tutorials\//, 8], [/^reference\/jax(\.(numpy|lax|nn|random|scipy|tree))?$/, 6],
      [/^(internals|compiler)\//, -4], [/^(examples|proposals)\/|^changelog$/, -10],
    ];
    return kinds.reduce((sum, [kind, more]) => sum + (kind.test(page) ? more : 0), score);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
