import type { CommandContext } from "../../core/base/terminal/context.ts";
import { failed, isGitHubToken, type ReadContext } from "./channels/channel.ts";
import { channels } from "./channels/channel-registry.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { receivingChannels } from "../../core/config/nodes.ts";
import { type ChannelConfig, variablesOf } from "../../core/config/channels.ts";

type Environment = CommandContext["environment"];

export function missingVariables(channel: ChannelConfig, environment: Environment): string[] {
  return variablesOf(channel).filter((name) => (environment[name] ?? "").trim() === "");
}

/**
 * Returns why a channel cannot send with the values of its variables, or undefined if it can. Does not report missing
 * variables.
 */
export function channelProblem(channel: ChannelConfig, environment: Environment): string | undefined {
  if (missingVariables(channel, environment).length > 0) return undefined;
  return channels[channel.type].problem(channel, readContext(channel, environment));
}

/** Returns the problems of all channels that rules notify, without those whose variables are not set. */
export function channelProblems(
  config: Config,
  environment: Environment,
): { readonly path: string[]; readonly message: string }[] {
  return [...receivingChannels(config)].flatMap(([name, channel]) => {
    const message = channelProblem(channel, environment)?.replace(/\.$/, "");
    return message === undefined ? [] : [{ path: ["channels", name], message }];
  });
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

/** Values shorter than this are hardly secret, and replacing them would garble the text. */
const minSecretLength = 4;

/** Masks the values of a channel's variables, since a receiver's answer may repeat the request. */
export function withoutSecrets(text: string, channel: ChannelConfig, environment: Environment): string {
  return variablesOf(channel)
    .map((name) => environment[name] ?? "")
    .filter((value) => value.length >= minSecretLength)
    .sort((one, other) => other.length - one.length)
    .reduce((shown, value) => shown.replaceAll(value, "***"), text);
}
