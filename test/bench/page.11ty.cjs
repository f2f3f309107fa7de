module.exports = class {
  data() {
    return {
      pagination: { data: "pages", size: 1, alias: "one", addAllPagesToCollections: false },
      permalink: ({ one }) => `${one.title}/index.json`,
    };
  }
  render({ one }) {
    return JSON.stringify({ network: one.network });
  }
};
