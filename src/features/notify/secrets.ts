import { InputError } from "../../core/base/errors.ts";
import { formatList } from "../../core/base/text/count.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { type ChannelConfig, variablesOf } from "../../core/config/channels.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { receivingChannels } from "../../core/config/nodes.ts";
import { DeliveryFailure, type ReadContext } from "./channels/channel.ts";
import { channels } from "./channels/channel-registry.ts";

type Environment = CommandContext["environment"];

function unsetVariables(channel: ChannelConfig, environment: Environment): string[] {
  return variablesOf(channel).filter((name) => (environment[name] ?? "").trim() === "");
}

/** Returns why a channel cannot send with the values of its variables, or undefined if it can. */
export function channelProblem(channel: ChannelConfig, environment: Environment): string | undefined {
  const unset = unsetVariables(channel, environment);
  if (unset.length > 0) return `${formatList(unset, "and")} ${unset.length === 1 ? "is" : "are"} not set.`;
  return channels[channel.type].problem(channel, readContext(channel, environment));
}

/** Returns the problems of all channels that rules notify, except those whose variables are not set. */
export function channelProblems(config: Config, environment: Environment) {
  return [...receivingChannels(config)].flatMap(([name, channel]) => {
    if (unsetVariables(channel, environment).length > 0) return [];
    const message = channelProblem(channel, environment)?.replace(/\.$/, "");
    return message === undefined ? [] : [{ path: ["channels", name], message }];
  });
}

/** Throws InputError if environment variables of channels are not set or have unusable values. */
export function requireVariables(
  receivers: Iterable<readonly [name: string, channel: ChannelConfig]>,
  { environment }: Pick<CommandContext, "environment">,
): void {
  const sentences = [...receivers].flatMap(([name, channel]) => {
    const problem = channelProblem(channel, environment);
    return problem === undefined ? [] : [`channels.${name}: ${problem}`];
  });
  if (sentences.length > 0) throw new InputError(sentences.slice(0, 20));
}

export function readContext(
  { type, allowPrivate }: Pick<ChannelConfig, "type" | "allowPrivate">,
  environment: Environment,
): ReadContext {
  return {
    secret: (variable) => {
      const value = environment[variable] ?? "";
      // The tokens of people, apps and workflows
      if (type === "github" || !/^(?:gh[a-z]_|github_pat_)/.test(value.trim())) return value;
      throw new DeliveryFailure(
        `${variable} holds a GitHub token, which only channels of type github may use; set it to another value.`,
      );
    },
    githubApiUrl: environment["GITHUB_API_URL"] ?? "https://api.github.com",
    allowPrivate,
  };
}
