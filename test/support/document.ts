import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";

const root = join(import.meta.dirname, "../..");

/** The README and the documents that it links to. */
export const documentNames = ["README.md", ...markdownIn(".github/docs")];

/** All Markdown files whose links are checked. */
export const linkedNames = [
  ...documentNames,
  "CHANGELOG.md",
  ...markdownIn(".github"),
  "test/bench/README.md",
];

export interface Block {
  /** The block's language, or an empty string. */
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** A heading with the blocks below it, up to the next heading. */
export interface Section {
  readonly heading: string;
  /** GitHub's fragment for links to the heading. */
  readonly anchor: string;
  readonly blocks: readonly Block[];
}

export interface Document {
  /** The path in the repository. */
  readonly name: string;
  readonly text: string;
  readonly sections: readonly Section[];
  /** The targets of links and pictures, external ones included. */
  readonly links: readonly string[];
}

export function loadDocument(name: string): Document {
  const text = readFileSync(join(root, name), "utf8");
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  const sections: (Section & { readonly blocks: Block[] })[] = [];
  const anchors = new Map<string, number>();
  for (const [index, { type, info, content, map }] of tokens.entries()) {
    if (type === "heading_open") {
      const heading = (tokens[index + 1]?.children ?? []).map((child) => child.content).join("");
      sections.push({ heading, anchor: anchorOf(heading, anchors), blocks: [] });
    } else if (type === "fence")
      sections.at(-1)?.blocks.push({ language: info.trim(), text: content, line: (map?.[0] ?? 0) + 1 });
  }
  const links = tokens.flatMap(({ children }) =>
    (children ?? []).flatMap((child) => String(child.attrGet("href") ?? child.attrGet("src") ?? "")),
  );
  return { name, text, sections, links: links.filter((target) => target !== "") };
}

export function blocksOf({ sections }: Document, language: string): Block[] {
  return sections.flatMap(({ blocks }) => blocks).filter((block) => block.language === language);
}

/** Returns the code blocks in a language below a heading. Throws if there are none. */
export function textsBelow({ name, sections }: Document, heading: string, language: string): string[] {
  const section = sections.find((one) => one.heading === heading);
  const found = section?.blocks.filter((one) => one.language === language).map(({ text }) => text) ?? [];
  if (found.length === 0) throw new Error(`${name} has no block of ${language} below ${heading}.`);
  return found;
}

function markdownIn(place: string): string[] {
  return readdirSync(join(root, place))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${place}/${name}`);
}

/** Source: https://docs.github.com/en/get-started/writing-on-github */
function anchorOf(heading: string, known: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
  const count = known.get(anchor) ?? 0;
  known.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}
