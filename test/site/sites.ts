/** The texts of a site's files, by their paths. */
type Contents = Readonly<Record<string, string>>;

/** Sites that differ in bytes, sizes and files, and in which paths are files or folders. */
const trees = ["one", "two", "three"].map((name, turn): Contents => {
  const tree: Record<string, string> = { "index.html": `<p>${name}</p>`.repeat(200_000) };
  for (let index = 0; index < 120; index += 1) {
    if (index % 3 !== turn)
      tree[`v1/network/s${index % 5}/t${index}/index.json`] = `${name} ${index}\n`.repeat(index * 20);
    tree[index % 3 === turn ? `badge/${index}` : `badge/${index}/a.svg`] = `<svg>${name}</svg>`;
  }
  return tree;
});

const paths = Object.keys(trees[0] ?? {});

/** Two sites of the same paths. */
const versions = ["first", "second"].map((name): Contents =>
  Object.fromEntries(paths.map((path) => [path, `${name} ${path}\n`.repeat(50)])),
);

/** Sites that a process writes in turn. */
export const sites = { trees, versions, reversed: versions.toReversed() };
