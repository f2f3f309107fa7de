import type { CommandContext } from "../base/terminal/context.ts";
import { failed, isGitHubToken, type ReadContext } from "../channels/channel.ts";
import * as registry from "../channels/registry.ts";
import type { ChannelConfig } from "../feed/feed.ts";

type Environment = CommandContext["environment"];

/** Returns the names of the environment variables that a channel needs, by the keys that end in `Env`. */
export function variablesOf(channel: ChannelConfig): string[] {
  return Object.entries(channel).flatMap(([key, value]) =>
    key.endsWith("Env") && typeof value === "string" ? [value] : [],
  );
}

export function missingVariables(channel: ChannelConfig, environment: Environment): string[] {
  return variablesOf(channel).filter((name) => (environment[name] ?? "").trim() === "");
}

/** Returns why a channel whose variables are set cannot send with them, or undefined. */
export function channelProblem(channel: ChannelConfig, environment: Environment): string | undefined {
  if (missingVariables(channel, environment).length > 0) return undefined;
  return registry[channel.type].problem(channel, readContext(channel, environment));
}

export function readContext(
  { type, allowPrivate }: Pick<ChannelConfig, "type" | "allowPrivate">,
  environment: Environment,
): ReadContext {
  return {
    secret: (variable) => {
      const value = environment[variable] ?? "";
      if (type === "github" || !isGitHubToken(value)) return value;
      throw failed(
        `${variable} holds a GitHub token, which only channels of type github may use; set it to another value.`,
      );
    },
    githubApiUrl: environment["GITHUB_API_URL"] ?? "https://api.github.com",
    allowPrivate,
  };
}

/** A value that is shorter says nothing, and would hide half of a text. */
const minSecretLength = 4;

/** Returns a text without the values of these variables. A receiver's answer may repeat the request. */
export function withoutSecrets(text: string, channel: ChannelConfig, environment: Environment): string {
  return variablesOf(channel)
    .map((name) => environment[name] ?? "")
    .filter((value) => value.length >= minSecretLength)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, value) => shown.replaceAll(value, "***"), text);
}
