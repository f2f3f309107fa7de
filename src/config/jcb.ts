import { quote } from "../base/text/quote.ts";

/**
 * Joomla Component Builder reads the contract. Since 5.0.4, its class VDM\Joomla\Componentbuilder\Network\Url reads the
 * URL of each mirror as `https://DOMAIN/ORGANIZATION/REPOSITORY`: the first two parts of the path, and no port.
 */
export const jcb = {
  name: "Joomla Component Builder",
  source: "VDM\\Joomla\\Componentbuilder\\Network\\Url::parse, https://git.vdm.dev/joomla/Component-Builder",
} as const;

/** Returns why Joomla Component Builder would read another URL than this one, or undefined. */
export function clientProblem(url: string): string | undefined {
  const { port, pathname } = new URL(url);
  const parts = pathname.replaceAll(/^\/+|\/+$/g, "").split("/");
  const [organization = "", repository = ""] = parts;
  const reasons: string[] = [];
  if (parts.length < 2)
    reasons.push(
      "it needs an organization and a repository in the path, and without them fails for the whole target",
    );
  if (parts.length > 2) reasons.push(`it reads only ${quote(`${organization}/${repository}`)} of the path`);
  if (repository.endsWith(".git"))
    reasons.push(
      `it keeps ".git", so it looks for ${quote(repository)} instead of ${quote(repository.slice(0, -4))}`,
    );
  if (port !== "") reasons.push(`it drops the port ${port}`);
  return reasons.length === 0
    ? undefined
    : `${quote(url)} does not fit ${jcb.name}: ${reasons.join("; ")}; give a URL such as https://host/organization/repository`;
}
