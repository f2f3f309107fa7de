import type { Capabilities, Host } from "./host.ts";

type Row = readonly [title: string, cell: (capabilities: Capabilities) => string];

/** The columns of the table of hosts. */
const columns: readonly Row[] = [
  ["200", () => "yes"],
  ["403", ({ forbidden }) => (forbidden === "full" ? "yes" : "404 instead")],
  ["400", ({ badRequest }) => (badRequest === "full" ? "yes" : "404 instead")],
  ["405", ({ methodNotAllowed }) => ({ full: "yes", "own-body": "own body", other: "no" })[methodNotAllowed]],
  ["JSON type", ({ jsonTypes }) => (jsonTypes === "all" ? "yes" : "not on errors")],
  ["without slash", ({ slashless }) => (slashless === "direct" ? "yes" : "redirects")],
  ["CORS", () => "yes"],
  ["caching", ({ cacheControl }) => (cacheControl === "full" ? "60 s" : "the host's")],
  ["rules", ({ rules }) => (rules === "constant" ? "constant" : "grow with the names")],
  ["proof", ({ proof }) => (proof === "tested" ? "tested" : "documented, not tested")],
];

/** Returns the hosts and what each can do, as rows of text. The first row has the titles. */
export function hostTable(hosts: readonly Host[]): string[][] {
  return [
    ["host", ...columns.map(([title]) => title)],
    ...hosts.map(({ name, capabilities }) => [name, ...columns.map(([, cell]) => cell(capabilities))]),
  ];
}

/** Returns the table of hosts as Markdown, for the README. */
export function hostTableMarkdown(hosts: readonly Host[]): string {
  const [titles = [], ...rows] = hostTable(hosts);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return `${[line(titles), line(titles.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

/** Returns the hosts as Markdown for hosts.md: the table, and how to publish to each. */
export function hostMarkdown(hosts: readonly Host[]): string {
  const sections = hosts.map(({ title, publishing }) => `### ${title}\n\n${publishing.join("\n")}`);
  return `${hostTableMarkdown(hosts)}\n${sections.join("\n\n")}\n`;
}
