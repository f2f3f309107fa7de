import { InputError } from "../../core/base/errors.ts";
import { formatCount } from "../../core/base/text/count.ts";
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

export function isUsable(entry: ChannelConfig, environment: Environment): boolean {
  return (
    missingVariables(entry, environment).length === 0 && channelProblem(entry, environment) === undefined
  );
}

/** Throws InputError if environment variables of channels are not set or have unusable values. */
export function requireVariables(
  receivers: ReadonlyMap<string, ChannelConfig>,
  { environment }: Pick<CommandContext, "environment">,
): void {
  const missing = [...receivers].flatMap(([name, entry]) =>
    missingVariables(entry, environment).map((variable) => `${variable} (channel ${name})`),
  );
  const unusable = [...receivers].flatMap(([name, entry]) => {
    const problem = channelProblem(entry, environment);
    return problem === undefined ? [] : [`channels.${name}: ${problem}`];
  });
  const sentences = [
    ...(missing.length === 0
      ? []
      : [
          `${formatCount(missing.length, "environment variable")} not set: ${missing.slice(0, 20).join(", ")}; set the variables named by the channels in mirrors.json.`,
        ]),
    ...unusable.slice(0, 20),
  ];
  if (sentences.length > 0) throw new InputError(sentences);
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
