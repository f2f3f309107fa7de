import { breakable } from "./parts.tsx";

/** A placeholder for an unknown URL of the feed. The script replaces it by the URL that it was loaded from. */
export const unknownUrl = "https://feed.example.org";

/** Renders lines to copy, each with what it does. `top` is the path from the page to the root of the site. */
export function copyLines(
  lines: readonly (readonly [title: string, line: string])[],
  { isUrlKnown, top }: { readonly isUrlKnown: boolean; readonly top: string },
): preact.JSX.Element {
  return (
    <dl data-url={isUrlKnown ? undefined : unknownUrl} data-top={top}>
      {lines.map(([title, line]) => [
        <dt>{title}</dt>,
        <dd>
          <code data-copy="">{breakable(line)}</code>
        </dd>,
      ])}
    </dl>
  );
}
