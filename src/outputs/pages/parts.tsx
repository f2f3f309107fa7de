import type { ComponentChildren } from "preact";
import { link, type Links } from "./links.ts";

/** What a shape means. `some` is a target with both reachable and unreachable mirrors. */
export type ShapeName = "online" | "offline" | "some" | "unknown";

/**
 * Renders a status as a shape that needs no colour: a disc, a ring, a half disc or a dotted ring. Without a stylesheet they differ
 * too. Pages have many, so each has as few attributes as it can.
 */
export function Shape({ name }: { readonly name: ShapeName }): preact.JSX.Element {
  return (
    <svg
      class={`shape ${name}`}
      viewBox="-6 -6 12 12"
      width={12}
      height={12}
      {...(name === "online" ? {} : { fill: "none", stroke: "currentColor" })}
      aria-hidden="true"
    >
      <circle r={name === "online" ? 5.5 : 4.5} />
      {name === "some" && <path fill="currentColor" d="M0-4.5a4.5 4.5 0 0 0 0 9z" />}
    </svg>
  );
}

/** Renders a text that may break after its slashes, such as a URL. */
export function breakable(text: string): ComponentChildren {
  return text.split(/(?<=[^/]\/)(?=[^/])/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}

/** Renders links to files of the site after a title. */
export function fileLinks(
  page: Links,
  title: string,
  files: readonly (readonly [name: string, path: string])[],
): preact.JSX.Element {
  return (
    <p class="files">
      {title} {files.map(([name, path], index) => [index > 0 && ", ", <a href={link(page, path)}>{name}</a>])}
      .
    </p>
  );
}

/** Renders the head of a table. */
export function TableHead({ titles }: { readonly titles: readonly string[] }): preact.JSX.Element {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col">{title}</th>
        ))}
      </tr>
    </thead>
  );
}
