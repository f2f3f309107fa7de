/**
 * Returns the name that a text is probably meant to be: the one with the fewest characters to insert, remove, replace
 * or swap, if these are few. Case counts for nothing.
 */
export function closestName(text: string, names: readonly string[]): string | undefined {
  const maxEdits = Math.min(2, Math.floor(text.length / 3));
  const ranked = names
    .filter((name) => Math.abs(name.length - text.length) <= maxEdits)
    .map((name) => ({ name, edits: editsBetween(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= maxEdits);
  return ranked.sort((left, right) => left.edits - right.edits)[0]?.name;
}

/** Returns the distance of two short texts: https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance */
function editsBetween(left: string, right: string): number {
  let [last, row]: [number[], number[]] = [[], Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      const replaced = at(row, j - 1) + (isSame ? 0 : 1);
      const isSwap = left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwap ? at(last, j - 2) + 1 : Infinity;
      next.push(Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1, swapped));
    }
    [last, row] = [row, next];
  }
  return at(row, right.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
