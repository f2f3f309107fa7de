/** The first word of the docstring of an exported function, if it does not end in "s". */
const docstring = String.raw`(?<=/\*\*\s+(?:\* )?)(?![A-Z][a-z]+s )[^\s*]+(?=(?:[^*]|\*(?!/))*\*/\nexport (?:async )?function)`;

/**
 * Words that mirrorfeed does not use, each with the better one: [pattern, better, where]. `where` is "all" (any text
 * and the parts of identifiers), "code" (the text as it stands, upper and lower case told apart) or "prose" (comments and
 * Markdown without code samples). A space in a pattern is any gap, a line's end included.
 */
export const words = [
  ["told", "said, logged or known"],
  ["mend(?:s|ed|ing)?", "repair or fix"],
  ["trouble[sd]?", "problem"],
  ["for ?ever", "without end"],
  ["beats?", "run or heartbeat"],
  ["moments?", "timestamp, time or instant"],
  ["laborator(?:y|ies)", "testbed"],
  ["storms?|weather", "stress"],
  ["spans?", "duration or interval"],
  ["fault(?:s|y)?", "error or problem"],
  ["complain(?:s|ed|ts?)?", "error output or problem"],
  ["nobody|somebody|whoever|whomever|everybody", "the role: nothing, another process, each reader"],
  ["we|us|ours?", "mirrorfeed, or name the thing"],
  ["(?:is|are) led away", "is redirected"],
  ["led away", "redirected"],
  ["in its stead", "instead"],
  ["made of", "of or from"],
  ["(?<!there )is no(?= (?!longer|more|need|such|other)\\w)", "is not a"],
  ["lookouts?", "observation"],
  ["(?:most|least|fewest)[A-Z]\\w*", "maxX or minX", "code"],
  ["(?:InputError|undefined|true|false|NaN|only|reason|errors?|it) where", "if", "prose"],
  ["where (?:there (?:is|was|are)|that is|it is none|one is|none)", "if", "prose"],
  [docstring, 'a verb in the third person, such as "Returns"', "code"],
  ["urls?", "URL", "prose"],
  ["(?:a|an|the|its|no|one|each|every|any) url", "URL", "code"],
  ["https?", "HTTP or HTTPS", "prose"],
  ["json", "JSON", "prose"],
  ["git", "Git", "prose"],
  ["github|Github", "GitHub", "prose"],
];

/** Right uses of these words. */
export const allowed = [
  {
    files: /\.(tsx|ts|html)$/,
    text: /<\\?\/?span\b|\bspan"|\bspan\b(?=[.[{,:])/g,
    reason: "the HTML element",
  },
  { files: /aligned-table\.ts$/, text: /colSpan/g, reason: "an option of cli-table3" },
  {
    files: /./,
    text: /fault injection|(?:test|\.\.)\/faults/gi,
    reason: "the term of the field, and its folder",
  },
];

/** What this project did not write, what is generated, records of the past, and the list itself. */
export const skipped =
  /\.(?:json|png|ico|svg|gif|webp)$|^public\/|^\.github\/actions\/check\/index\.mjs$|^CHANGELOG\.md$|^test\/titles\.txt$|^LICENSE|^\.ci\/word-list\.js$/;
