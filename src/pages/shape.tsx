/** What a shape stands for: `some` is of a target of which some mirrors are reachable and some are not. */
export type ShapeName = "online" | "offline" | "some" | "unknown";

/** A status as a shape, which tells it without colour: a disc, a ring, a half disc, a dotted ring. */
export function Shape({ name }: { readonly name: ShapeName }): preact.JSX.Element {
  return (
    <svg class={`shape ${name}`} viewBox="0 0 12 12" aria-hidden="true">
      <circle cx="6" cy="6" r={name === "online" ? 5.5 : 4.5} />
      {name === "some" && <path d="M6 1.5a4.5 4.5 0 0 0 0 9z" />}
    </svg>
  );
}
