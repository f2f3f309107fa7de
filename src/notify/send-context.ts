import { isGitHubToken, type SendContext } from "../channels/channel.ts";
import { failed } from "../channels/delivering.ts";
import type { ChannelConfig } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import { hasRoute, isPublic, machineFamilies } from "../base/http/address.ts";
import { loadSecureContext, readProxies } from "../base/http/environment.ts";
import { ProbeFailure } from "../base/http/failure.ts";
import { createResolver, readHosts } from "../base/http/resolve.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { Transport } from "../base/http/transport.ts";
import { userAgent } from "../base/files/package.ts";
import type { CommandContext } from "../base/terminal/context.ts";

/** A page of a hundred issues with their texts. */
const maxBytes = 16 * 1024 * 1024;

/** What sends messages: contexts for channels, and its end. */
export interface Sender {
  /** Returns what one channel uses for one message. */
  readonly contextFor: (
    channel: Pick<ChannelConfig, "type" | "allowPrivate">,
    signal: AbortSignal,
  ) => SendContext;
  readonly close: () => void;
}

/** Returns a sender that trusts, resolves and uses proxies as a run does. Throws InputError as loadSecureContext does. */
export async function openSender(
  config: Config,
  { environment, now }: Pick<CommandContext, "environment" | "now">,
): Promise<Sender> {
  const resolver = createResolver(await readHosts());
  const secureContext = await loadSecureContext(config.probe.ca, environment);
  const families = machineFamilies();
  const proxies = readProxies(environment);
  const transportFor = (isAllowed: (address: string) => boolean): Transport =>
    new Transport({
      resolver,
      secureContext,
      families,
      isAllowed,
      proxies,
      userAgent: userAgent({ site: config.site.url }),
      maxBytes,
    });
  const onlyPublic = { isAllowed: isPublic, transport: transportFor(isPublic) };
  const any = { isAllowed: () => true, transport: transportFor(() => true) };
  return {
    contextFor: ({ type, allowPrivate }, signal) => {
      const { isAllowed, transport } = allowPrivate ? any : onlyPublic;
      return {
        secret: (variable) => {
          const value = environment[variable] ?? "";
          if (type === "github" || !isGitHubToken(value)) return value;
          throw failed(`${variable} is a GitHub token, which is only sent by channels of type github.`);
        },
        githubApiUrl: environment["GITHUB_API_URL"] ?? "https://api.github.com",
        request: (url, options) => transport.request(url, wholeAnswer, signal, options),
        resolve: async (hostname) => {
          const { first, rest } = await resolver.resolve(hostname, signal);
          const isUsable = (one: string): boolean => isAllowed(one) && hasRoute(one, families);
          const address = first.find(isUsable) ?? (await rest).find(isUsable);
          if (address !== undefined) return address;
          throw new ProbeFailure(first.some(isAllowed) ? "no_route" : "blocked_address");
        },
        secureContext,
        allowPrivate,
        signal,
        now,
      };
    },
    close: () => {
      onlyPublic.transport.close();
      any.transport.close();
      resolver.close();
    },
  };
}

/** Returns an answer once all of it is read, or as much as may be. */
function wholeAnswer(answer: HttpResponse): HttpResponse | undefined {
  return answer.complete || answer.bounded ? answer : undefined;
}
