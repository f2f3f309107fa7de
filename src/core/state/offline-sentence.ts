import { formatCount } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import type { Node } from "../config/nodes.ts";
import type { ControlObservation } from "../probe/observation.ts";
import { canProve } from "./online.ts";
import type { Round } from "./round.ts";

const maxControls = 4;

/**
 * Explains why no vantage of a round counts as online. If no control can prove a vantage online, also says what to
 * configure.
 */
export function offlineSentence(nodes: readonly Node[], { vantages }: Round): string {
  const observed = nodes.flatMap(({ id, host }) =>
    vantages.flatMap(({ observations }) => {
      const observation = observations.get(id);
      return observation === undefined ? [] : [{ id, host, code: observation.code }];
    }),
  );
  const mirrors = formatCount(new Set(observed.map(({ id }) => id)).size, "mirror");
  const hosts = formatCount(new Set(observed.map(({ host }) => host)).size, "host");
  const controls = vantages.flatMap((vantage) => vantage.controls);
  const withControls = controls.length === 0 ? "" : ` and ${controlsText(controls)}`;
  const sentences = [
    `This machine is offline: it probed ${mirrors} at ${hosts}${withControls}, and no response proves that it is online.`,
  ];
  if (!controls.some(canProve))
    sentences.push("To be sure, set probe.controls to an HTTPS URL that always answers.");
  if (observed.some(({ code }) => code === "blocked_address"))
    sentences.push("Private addresses are probed only with --allow-private.");
  return sentences.join(" ");
}

/** Lists each control once, with the reason why its first answer proves nothing. */
function controlsText(controls: readonly ControlObservation[]): string {
  const shown = new Map<string, string>();
  for (const control of controls) {
    const { url, code, text } = control;
    if (shown.has(url)) continue;
    const failed = text !== undefined && code === "ok" ? "the text is missing" : code;
    shown.set(url, `${quote(url)} (${canProve(control) ? failed : 'HTTP without "text"'})`);
  }
  const texts = [...shown.values()];
  const more = texts.length > maxControls ? ` and ${texts.length - maxControls} more` : "";
  return `the ${texts.length === 1 ? "control" : "controls"} ${texts.slice(0, maxControls).join(", ")}${more}`;
}
