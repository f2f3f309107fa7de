import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt, { type Token } from "markdown-it";

const folder = ".github/docs";

/** The files that readers of the project are led to. */
export const documentNames = ["README.md", ...markdownIn(folder)];

/** All files of Markdown that lead to each other. */
export const linkedNames = [
  ...documentNames,
  "CHANGELOG.md",
  ...markdownIn(".github"),
  "test/bench/README.md",
];

/** A fenced block. */
export interface Block {
  /** Empty if it has none. */
  readonly language: string;
  readonly text: string;
  readonly line: number;
}

/** A heading with what stands below it, up to the next heading. */
export interface Section {
  readonly heading: string;
  /** 1 for the title. */
  readonly level: number;
  readonly line: number;
  /** As GitHub makes it: the fragment of links to the heading. */
  readonly anchor: string;
  readonly blocks: readonly Block[];
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Document {
  readonly name: string;
  readonly text: string;
  readonly sections: readonly Section[];
  /** Links and pictures, those to other sites included. */
  readonly links: readonly Link[];
}

/** Returns the sections of a document with their blocks. `name` is its path in the repository. */
export function loadDocument(name: string): Document {
  return parseDocument(name, readFileSync(join(import.meta.dirname, "../..", name), "utf8"));
}

/** Returns the sections of a text in Markdown with their blocks. */
export function parseDocument(name: string, text: string): Document {
  const tokens = new MarkdownIt({ html: true }).parse(text, {});
  const sections: (Section & { readonly blocks: Block[] })[] = [];
  const anchors = new Map<string, number>();
  tokens.forEach((token, index) => {
    if (token.type === "heading_open") {
      const heading = plainText(tokens[index + 1]);
      const level = Number(token.tag.slice(1));
      sections.push({ heading, level, line: lineOf(token), anchor: anchorOf(heading, anchors), blocks: [] });
    } else if (token.type === "fence") {
      const block = { language: token.info.trim(), text: token.content, line: lineOf(token) };
      sections.at(-1)?.blocks.push(block);
    }
  });
  return { name, text, sections, links: linksOf(tokens) };
}

/** Returns all blocks of a language in a document. */
export function blocksOf({ sections }: Document, language: string): Block[] {
  return sections.flatMap(({ blocks }) => blocks).filter((block) => block.language === language);
}

function markdownIn(place: string): string[] {
  return readdirSync(join(import.meta.dirname, "../..", place))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${place}/${name}`);
}

function lineOf({ map }: Token): number {
  return (map?.[0] ?? 0) + 1;
}

function plainText(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join("");
}

/** Returns the anchor of a heading on GitHub. Source: https://docs.github.com/en/get-started/writing-on-github */
function anchorOf(heading: string, known: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
  const count = known.get(anchor) ?? 0;
  known.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

function linksOf(tokens: readonly Token[]): Link[] {
  return tokens.flatMap((token) =>
    (token.children ?? []).flatMap((child) => {
      const target = child.attrGet("href") ?? child.attrGet("src");
      return target === null ? [] : [{ target: String(target), line: lineOf(token) }];
    }),
  );
}
