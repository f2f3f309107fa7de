/** Sites that differ in bytes, sizes and files. Some paths are a file in one and a folder in another. */
export const trees = ["one", "two", "three"].map((name, turn): Readonly<Record<string, string>> => {
  const tree: Record<string, string> = { "index.html": `<p>${name}</p>`.repeat(200_000) };
  for (let index = 0; index < 120; index += 1) {
    if (index % 3 !== turn)
      tree[`v1/network/s${index % 5}/t${index}/index.json`] = `${name} ${index}\n`.repeat(index * 20);
    tree[index % 3 === turn ? `badge/${index}` : `badge/${index}/a.svg`] = `<svg>${name}</svg>`;
  }
  return tree;
});
