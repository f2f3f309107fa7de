/** What a shape means. `some` is a target with both reachable and unreachable mirrors. */
export type ShapeName = "online" | "offline" | "some" | "unknown";

/** Renders a status as a shape that needs no colour: a disc, a ring, a half disc or a dotted ring. It has attributes for a page without its stylesheet. */
export function Shape({ name }: { readonly name: ShapeName }): preact.JSX.Element {
  return (
    <svg
      class={`shape ${name}`}
      viewBox="0 0 12 12"
      width={12}
      height={12}
      fill={name === "online" ? "currentColor" : "none"}
      stroke="currentColor"
      aria-hidden="true"
    >
      <circle cx="6" cy="6" r={name === "online" ? 5.5 : 4.5} />
      {name === "some" && <path fill="currentColor" d="M6 1.5a4.5 4.5 0 0 0 0 9z" />}
    </svg>
  );
}
