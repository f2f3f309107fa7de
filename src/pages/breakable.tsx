import type { ComponentChildren } from "preact";

/** Renders a text that may break after its slashes, such as a URL. */
export function breakable(text: string): ComponentChildren {
  return text.split(/(?<=[^/]\/)(?=[^/])/).flatMap((part, index) => (index === 0 ? [part] : [<wbr />, part]));
}
