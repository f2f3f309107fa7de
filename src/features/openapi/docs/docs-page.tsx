import type { SiteFile } from "../../../core/base/files/site-file.ts";
import { codes, evidence, sentenceOf } from "../../../core/kinds/kinds.ts";
import type { Site } from "../../../core/feed/feed.ts";
import type { OpenapiDocument } from "../openapi.ts";
import { pageDocument } from "../../layout/layout.tsx";
import { link, type SitePage, sitePageOf } from "../../layout/page-feed.ts";
import { copyLines, pageLink, TableHead, unknownUrl } from "../../layout/parts.tsx";
import { fieldSection, groupAnchor, operationGroups, Prose } from "./reference.tsx";

export function renderDocs(site: Site, description: OpenapiDocument): SiteFile[] {
  const page = sitePageOf(site, "/docs/");
  const url = site.url?.replace(/\/$/, "") ?? unknownUrl;
  const content = pageDocument({
    feed: page,
    hasStatuses: false,
    title: "API",
    description: `The documents of ${site.title}, and how to use them.`,
    head: <link rel="stylesheet" href={link(page, "/assets/docs.css")} />,
    children: (
      <div class="docs">
        <header class="docs-head">
          <h1>API</h1>
          {description.info.description.split("\n\n").map((paragraph) => (
            <p>
              <Prose text={paragraph} />
            </p>
          ))}
          <p>
            For programs, {pageLink(page, "/openapi.json", "openapi.json")} describes the same in OpenAPI{" "}
            {description.openapi}, with examples. Tools can generate clients and mocks from it.
          </p>
        </header>
        {contents(description)}
        <div class="docs-body">
          {guide(page, description, url)}
          {operationGroups(page, description)}
          {fieldSection(description)}
        </div>
      </div>
    ),
  });
  return [{ path: "docs/index.html", content }];
}

function contents({ tags }: OpenapiDocument) {
  const sections = [
    ["scripts", "From a script"],
    ["age", "How old the feed is"],
    ["statuses", "What a status means"],
    ...tags.map(({ name }) => [groupAnchor(name), name]),
    ["fields", "Fields"],
  ];
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        {sections.map(([anchor, title]) => (
          <li>
            <a href={`#${anchor}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** `url` is the feed's URL without a trailing slash, or a placeholder if that is unknown. */
function guide(page: SitePage, { paths }: OpenapiDocument, url: string) {
  const { parameters = [] } = paths["/v1/network/{system}/{project}/{target}/"]?.get ?? {};
  const path = parameters.map(({ example }) => example).join("/");
  const lines = [
    ["List the reachable nodes of a target", `curl -fsSL ${url}/v1/network/${path}/1/`],
    ["List only their URLs", `curl -fsSL ${url}/v1/network/${path}/1/ | jq -r '.network[].url'`],
    ["Get the best node's URL", `curl -fsSL ${url}/mirrorlist/${path}.txt | head -n 1`],
    ["Stop if no mirror is reachable, or if the feed has expired", `mirrorfeed check ${url} ${path}`],
    ["Choose and probe the URL to clone from", `mirrorfeed pick ${url} ${path} --probe`],
    ["Do both in JavaScript (browsers, Deno and Bun)", `import { check, pick } from "${url}/client.js";`],
  ] as const;
  return (
    <>
      <section class="use" aria-labelledby="scripts">
        <h2 id="scripts">From a script</h2>
        {copyLines(page, lines, url !== unknownUrl)}
        <p>
          Use the feed to choose which mirror to try first. If the feed is unreachable or all mirrors are
          offline, try your usual mirror. <code>mirrorfeed check</code> and <code>mirrorfeed pick</code> take
          a few seconds at most. While the feed is unreachable, they use its last response. Their exit code is
          the result. The types for <code>client.js</code> are in <code>client.d.ts</code>. In Node.js, import{" "}
          <code>mirrorfeed/client</code> from the package.
        </p>
      </section>
      <section aria-labelledby="age">
        <h2 id="age">How old the feed is</h2>
        <p>
          If runs stop, the host keeps serving the old files. The <a href="#getHeartbeat">heartbeat</a> tells
          you: <code>generated_at</code> is the time of the last run, and after <code>expires_at</code> the
          statuses are too old to be trusted. The time until then depends on the measured interval between
          runs.
        </p>
        <pre class="docs-line">
          <code data-copy>{`curl -fsSL ${url}/v1/report/ | jq -e '.expires_at > (now | todate)'`}</code>
        </pre>
        <p>While the prober is offline, runs change nothing, so the feed expires.</p>
      </section>
      <section aria-labelledby="statuses">
        <h2 id="statuses">What a status means</h2>
        <p>
          <code>1</code> is online: the last runs got a valid response from the mirror. <code>0</code> is
          offline: they didn’t. Each run gives every node a code, which votes for a status or for no change.
        </p>
        <details class="docs-fold">
          <summary>The {codes.length} codes</summary>
          <table class="docs-fields">
            <TableHead titles={["Code", "Votes for", "Meaning"]} />
            <tbody>
              {codes.map((code) => (
                <tr>
                  <th scope="row">
                    <code>{code}</code>
                  </th>
                  <td>{voteText(evidence(code))}</td>
                  <td>{sentenceOf(code)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
        <p>
          <code>freshness</code> compares a mirror’s content with its target’s reference. <code>in_sync</code>
          : they match. <code>behind</code>: the mirror lacks content. <code>differs</code>: for too long, the
          mirror has had content that the reference never had. <code>unknown</code>: there is nothing to
          compare, or that content is new.
        </p>
      </section>
    </>
  );
}

function voteText(status: 0 | 1 | undefined): string {
  if (status === undefined) return "no change";
  return status === 1 ? "1, online" : "0, offline";
}
