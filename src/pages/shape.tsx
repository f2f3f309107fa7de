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
