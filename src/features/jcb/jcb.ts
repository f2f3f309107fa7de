import { formatList } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { listTargets } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { ConfigWarning } from "../../core/config/warnings.ts";

/** Joomla Component Builder has read the contract since 5.0.4. */
export const jcb = {
  name: "Joomla Component Builder",
  source: "VDM\\Joomla\\Componentbuilder\\Network, https://git.vdm.dev/joomla/Component-Builder",
} as const;

/** The only project that Joomla Component Builder requests (`Api\Network::get`). */
const readProject = "community/jcb";

/** The domain that Joomla Component Builder never fails over to (`Network\Status::active`). */
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
        `${quote(`${system}/${project.project}`)} is not read by ${jcb.name}, which requests only ${readProject}; rename it to ${readProject} if it should be read`,
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

/** Splits a URL as `Network\Url::parse` does, which ignores the port and all path segments after the first two. */
function parse(url: string) {
  const { protocol, hostname: domain, pathname } = new URL(url);
  const [organization = "", repository = "", ...more] = pathname.replaceAll(/^\/+|\/+$/g, "").split("/");
  return { protocol, domain, organization, repository, more };
}

/**
 * Explains why Joomla Component Builder would fail over to a repository that does not exist, or returns undefined.
 * Joomla Component Builder keeps the original URL's organization for every mirror, because `Network\Resolve::resolve`
 * reads the property `organisation`, but `Network\Url::parse` sets `organization`.
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
      return `its mirrors belong to the organizations ${names}, but ${jcb.name} keeps using the organization of the mirror it tries first: if that is ${quote(kept)}, it looks for ${quote(sought)}, which is not a mirror; give the mirrors the same organization`;
    }
  return undefined;
}

/** Host names that PHP's FILTER_VALIDATE_URL accepts, and bracketed IP addresses. */
const phpHost = /^(?:\[.*\]|(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.|$))+)$/i;

/** Explains how Joomla Component Builder would misread a URL, or returns undefined. */
export function jcbUrlProblem(url: string): string | undefined {
  const { domain, organization, repository, more } = parse(url);
  const { port, search } = new URL(url);
  const reasons: string[] = [];
  if (!phpHost.test(domain))
    reasons.push(`PHP rejects the host ${quote(domain)}, so ${jcb.name} fails for the whole target`);
  if (repository === "" && more.length === 0)
    reasons.push("without an organization and a repository in the path, it fails for the whole target");
  if (more.length > 0) reasons.push(`it reads only ${quote(`${organization}/${repository}`)} from the path`);
  if (repository.endsWith(".git"))
    reasons.push(
      `it keeps ".git", so it looks for ${quote(repository)} instead of ${quote(repository.slice(0, -4))}`,
    );
  if (port !== "") reasons.push(`it drops the port ${port}`);
  if (search !== "") reasons.push("it drops the query");
  return reasons.length === 0
    ? undefined
    : `${jcb.name} misreads ${quote(url)}: ${reasons.join("; ")}; use a URL such as https://host/organization/repository`;
}
