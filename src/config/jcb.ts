import { formatList } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import { listTargets } from "./nodes.ts";
import type { Config } from "./schema.ts";
import type { ConfigWarning } from "./warnings.ts";

/** Joomla Component Builder reads the contract since 5.0.4. */
export const jcb = {
  name: "Joomla Component Builder",
  source: "VDM\\Joomla\\Componentbuilder\\Network, https://git.vdm.dev/joomla/Component-Builder",
} as const;

/** The only project that it asks for (`Api\Network::get`). */
const readProject = "community/jcb";

/** The domain that it never fails over to (`Network\Status::active`). */
const avoidedDomain = "git.vdm.dev";

/** Returns a warning for each project, target and URL that Joomla Component Builder misreads. */
export function jcbWarnings(config: Config): ConfigWarning[] {
  const isRead = ({ system, project }: ReturnType<typeof listTargets>[number]): boolean =>
    `${system}/${project.project}` === readProject;
  const targets = listTargets(config);
  const unread = new Map(targets.filter((one) => !isRead(one)).map((one) => [one.project, one]));
  const warn = (path: ConfigWarning["path"], message: string | undefined): ConfigWarning[] =>
    message === undefined ? [] : [{ code: "client", path, message }];
  return [
    ...[...unread.values()].flatMap(({ path, system, project }) =>
      warn(
        path.slice(0, 4),
        `${quote(`${system}/${project.project}`)} is not read by ${jcb.name}, which asks only for ${readProject}; name it so if it should be read`,
      ),
    ),
    ...targets.filter(isRead).flatMap(({ path, target }) => {
      const urls = target.network.map(({ url }) => url);
      return [
        ...warn(path, organizationProblem(urls)),
        ...urls.flatMap((url, n) => warn([...path, "network", n, "url"], jcbUrlProblem(url))),
      ];
    }),
  ];
}

/** Returns the parts of a URL as `Network\Url::parse` does: no port, and the first two parts of the path. */
function parse(url: string) {
  const { protocol, hostname: domain, pathname } = new URL(url);
  const [organization = "", repository = "", ...more] = pathname.replaceAll(/^\/+|\/+$/g, "").split("/");
  return { protocol, domain, organization, repository, more };
}

/**
 * Returns why it fails over to repositories that do not exist, or undefined. `Network\Resolve::resolve` reads the
 * property `organisation`, which `Network\Url::parse` calls `organization`, so it keeps the organization that it began
 * with.
 */
export function organizationProblem(urls: readonly string[]): string | undefined {
  const mirrors = new Set(urls.map((url) => url.replace(/\/+$/, "")));
  const parsed = urls.map(parse).filter(({ repository }) => repository !== "");
  const organizations = [...new Set(parsed.map(({ organization }) => organization))];
  for (const { protocol, domain, organization, repository } of parsed)
    for (const kept of organizations) {
      const sought = `${protocol}//${domain}/${kept}/${repository}`;
      if (kept === organization || domain === avoidedDomain || mirrors.has(sought)) continue;
      const names = formatList(organizations.map(quote), "and");
      return `its mirrors are of the organizations ${names}, and ${jcb.name} keeps the one it began with: from ${quote(kept)} it fails over to ${quote(sought)}, which is not a mirror; give the mirrors the same organization`;
    }
  return undefined;
}

/** Host names that PHP's FILTER_VALIDATE_URL accepts, and addresses in brackets. */
const phpHost = /^(?:\[.*\]|(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.|$))+)$/i;

/** Returns why it would read another URL than this one, or undefined. */
export function jcbUrlProblem(url: string): string | undefined {
  const { domain, organization, repository, more } = parse(url);
  const { port, search } = new URL(url);
  const reasons: string[] = [];
  if (!phpHost.test(domain))
    reasons.push(`PHP rejects the host ${quote(domain)}, and then fails for the whole target`);
  if (repository === "" && more.length === 0)
    reasons.push("it needs an organization and a repository in the path, or it fails for the whole target");
  if (more.length > 0) reasons.push(`it reads only ${quote(`${organization}/${repository}`)} of the path`);
  if (repository.endsWith(".git"))
    reasons.push(
      `it keeps ".git", so it looks for ${quote(repository)} instead of ${quote(repository.slice(0, -4))}`,
    );
  if (port !== "") reasons.push(`it drops the port ${port}`);
  if (search !== "") reasons.push("it drops the query");
  return reasons.length === 0
    ? undefined
    : `${quote(url)} does not fit ${jcb.name}: ${reasons.join("; ")}; give a URL such as https://host/organization/repository`;
}
