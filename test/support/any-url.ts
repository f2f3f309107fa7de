import fc, { type Arbitrary } from "fast-check";

const surrogates = 0x800;
const firstSurrogate = 0xd800;

/**
 * Generates any Unicode character except surrogates. fast-check's unit "binary" does the same, but first makes a list of
 * all characters, which takes a second and 150 MB in each process.
 */
export const anyCharacter: Arbitrary<string> = fc.nat(0x10ffff - surrogates).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error("Not one character.");
    return point < firstSurrogate ? point : point - surrogates;
  },
);

const escaped = anyCharacter.map((one) => {
  const text = encodeURIComponent(one);
  return text === one ? `%${one.charCodeAt(0).toString(16)}` : text;
});

function urlCharacters(others: string): Arbitrary<string> {
  const plain = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789${others}`;
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...Array.from(plain)) },
    { weight: 1, arbitrary: escaped },
  );
}

/** Like fc.webSegment(), but without fast-check's unit "binary". */
export const urlSegment: Arbitrary<string> = fc.string({ unit: urlCharacters("-._~!$&'()*+,;=:@") });

/** Like fc.webUrl(), but without fast-check's unit "binary", and sometimes with a query. */
export const anyWebUrl: Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("http", "https"),
    fc.webAuthority(),
    fc.array(urlSegment),
    fc.option(fc.string({ unit: urlCharacters("-._~!$&'()*+,;=:@/?") })),
  )
  .map(([scheme, authority, segments, query]) => {
    const path = segments.map((segment) => `/${segment}`).join("");
    return `${scheme}://${authority}${path}${query === null ? "" : `?${query}`}`;
  });
