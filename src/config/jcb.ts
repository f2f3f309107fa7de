import { quote } from "../text/quote.ts";

/**
 * The client of the contract in Joomla Component Builder. Its class
 * VDM\Joomla\Componentbuilder\Network\Url (since 5.0.4) reads every URL of a target as
 * `https://DOMAIN/ORGANIZATION/REPOSITORY`: it takes the first two parts of the path as they are, and no port.
 */
export const jcb = {
  name: "Joomla Component Builder",
  source: "VDM\\Joomla\\Componentbuilder\\Network\\Url::parse, https://git.vdm.dev/joomla/Component-Builder",
} as const;

/** Returns why Joomla Component Builder takes the URL of a mirror for another one, or undefined. */
export function clientProblem(url: string): string | undefined {
  const { port, pathname } = new URL(url);
  const parts = pathname.replaceAll(/^\/+|\/+$/g, "").split("/");
  const [organization = "", repository = ""] = parts;
  const reasons: string[] = [];
  if (parts.length < 2)
    reasons.push(
      "it needs an organization and a repository in the path, and fails for the whole target without",
    );
  if (parts.length > 2) reasons.push(`of its path it reads only ${quote(`${organization}/${repository}`)}`);
  if (repository.endsWith(".git"))
    reasons.push(`it keeps ".git", so ${quote(repository)} is not ${quote(repository.slice(0, -4))}`);
  if (port !== "") reasons.push(`it drops the port ${port}`);
  return reasons.length === 0
    ? undefined
    : `${quote(url)} does not fit ${jcb.name}: ${reasons.join("; ")}; give a URL such as https://host/organization/repository`;
}
