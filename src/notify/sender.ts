import { isGitHubToken, type SendContext } from "../channels/channel.ts";
import { failed } from "../channels/delivering.ts";
import type { ChannelConfig } from "../feed/notifications.ts";
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

/** What sends messages. */
export interface Sender {
  /** Returns what one channel uses for one message. */
  readonly contextFor: (
    channel: Pick<ChannelConfig, "type" | "allowPrivate">,
    signal: AbortSignal,
  ) => SendContext;
  readonly close: () => void;
}

/**
 * Returns a sender that trusts, resolves and uses proxies as a run does. `site` is the URL of the site, for the user agent.
 * Throws InputError as loadSecureContext does.
 */
export async function openSender(
  ca: readonly string[],
  site: string | undefined,
  { environment, now }: Pick<CommandContext, "environment" | "now">,
): Promise<Sender> {
  const resolver = createResolver(await readHosts());
  const secureContext = await loadSecureContext(ca, environment);
  const families = machineFamilies();
  const shared = {
    ...{ resolver, secureContext, families, maxBytes },
    proxies: readProxies(environment),
    userAgent: userAgent({ site }),
  };
  const anyAddress = (): boolean => true;
  const onlyPublic = new Transport({ ...shared, isAllowed: isPublic });
  const any = new Transport({ ...shared, isAllowed: anyAddress });
  return {
    contextFor: ({ type, allowPrivate }, signal) => ({
      secret: (variable) => {
        const value = environment[variable] ?? "";
        if (type === "github" || !isGitHubToken(value)) return value;
        throw failed(`${variable} is a GitHub token, which is only sent by channels of type github.`);
      },
      githubApiUrl: environment["GITHUB_API_URL"] ?? "https://api.github.com",
      request: (url, options) => (allowPrivate ? any : onlyPublic).request(url, wholeAnswer, signal, options),
      resolve: async (hostname) => {
        const isAllowed = allowPrivate ? anyAddress : isPublic;
        const isUsable = (address: string): boolean => isAllowed(address) && hasRoute(address, families);
        const { first, rest } = await resolver.resolve(hostname, signal);
        const address = first.find(isUsable) ?? (await rest).find(isUsable);
        if (address !== undefined) return address;
        throw new ProbeFailure(first.some(isAllowed) ? "no_route" : "blocked_address");
      },
      secureContext,
      allowPrivate,
      signal,
      now,
    }),
    close: () => {
      onlyPublic.close();
      any.close();
      resolver.close();
    },
  };
}

/** Returns an answer once all of it is read, or as much as may be. */
function wholeAnswer(answer: HttpResponse): HttpResponse | undefined {
  return answer.complete || answer.bounded ? answer : undefined;
}
