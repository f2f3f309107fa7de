import type { CommandContext } from "../base/terminal/context.ts";
import type { ChannelConfig } from "../feed/feed.ts";

type Environment = CommandContext["environment"];

/** Returns the names of the environment variables that a channel needs, by the keys that end in `Env`. */
export function variablesOf(channel: ChannelConfig): string[] {
  return Object.entries(channel).flatMap(([key, value]) =>
    key.endsWith("Env") && typeof value === "string" ? [value] : [],
  );
}

export function missingVariables(channel: ChannelConfig, environment: Environment): string[] {
  return variablesOf(channel).filter((name) => (environment[name] ?? "") === "");
}

/** A value that is shorter says nothing, and would hide half of a text. */
const minSecretLength = 4;

/** Returns a text without the values of these variables. What a receiver answers may repeat what it was sent. */
export function withoutSecrets(text: string, channel: ChannelConfig, environment: Environment): string {
  return variablesOf(channel)
    .map((name) => environment[name] ?? "")
    .filter((value) => value.length >= minSecretLength)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, value) => shown.replaceAll(value, "***"), text);
}
