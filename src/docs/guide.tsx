import { codes, kindNames, kinds, sentenceOf } from "../kinds/kinds.ts";
import { formatList } from "../text/count.ts";
import { evidence } from "../state/verdict.ts";
import type { Documentation } from "./documentation.ts";

const comparedKinds = formatList(
  kindNames.filter((name) => kinds[name].content.revision !== undefined),
  "or",
);

/** Renders how to use the feed: from a script, with its age in mind, and with the meaning of its words. */
export function Guide({
  description,
  top,
  url,
  unknownUrl,
}: Documentation & { readonly unknownUrl: string | undefined }): preact.JSX.Element {
  const { system, project, target } = description.components.parameters;
  const path = [system, project, target].map((parameter) => parameter?.example).join("/");
  const lines = [
    ["The nodes of a target that are reachable", `curl -fsS ${url}/v1/network/${path}/1/`],
    ["Their urls alone", `curl -fsS ${url}/v1/network/${path}/1/ | jq -r '.network[].url'`],
    ["The best of them", `curl -fsS ${url}/mirrorlist/${path}.txt | head -n 1`],
    [
      "Stop where no mirror is reachable, or where the feed is too old to say",
      `mirrorfeed check ${url} ${path}`,
    ],
    ["The url to clone from, chosen and probed", `mirrorfeed pick ${url} ${path} --verify`],
  ] as const;
  return (
    <>
      <section class="use" aria-labelledby="scripts">
        <h2 id="scripts">From a script</h2>
        <dl data-url={unknownUrl} data-top={top}>
          {lines.map(([words, line]) => (
            <div>
              <dt>{words}</dt>
              <dd>
                <code data-copy>{line}</code>
              </dd>
            </div>
          ))}
        </dl>
        <p>
          A feed tells what to try first, never what not to try: where it is away, or says that everything is
          offline, use the mirror you had. <code>mirrorfeed check</code> and <code>pick</code> ask for no
          longer than a few seconds, use the last good answer while the feed is away, and say by their exit
          code what they found. <code>{'import { check, pick } from "mirrorfeed/client"'}</code> asks the same
          from JavaScript.
        </p>
      </section>
      <section aria-labelledby="age">
        <h2 id="age">How old it is</h2>
        <p>
          Files stay where they are when no run makes new ones. So the <a href="#getHeartbeat">heartbeat</a>{" "}
          says when the feed was made, in <code>generated_at</code>, and until when it may be trusted, in{" "}
          <code>expires_at</code>: some runs further than they are really apart. After that time the feed
          stands still, and its statuses prove nothing, good or bad.
        </p>
        <pre class="docs-line">
          <code data-copy>{`curl -fsS ${url}/v1/report/ | jq -e '.expires_at > (now | todate)'`}</code>
        </pre>
        <p>
          A run whose prober was itself offline changes nothing: the feed stays as it was, and expires unless
          the prober comes back. The documents of the contract hold no time, so that an unchanged one is the
          same to the byte.
        </p>
      </section>
      <section aria-labelledby="statuses">
        <h2 id="statuses">What a status means</h2>
        <p>
          <code>1</code> is online: the last runs reached the mirror, and it answered as a mirror of its kind
          does. <code>0</code> is offline: they did not. Each run ends with a code for each node, which is a
          vote for one of the two, or for neither.
        </p>
        <table class="docs-fields">
          <thead>
            <tr>
              <th scope="col">Code</th>
              <th scope="col">Votes for</th>
              <th scope="col">What was seen</th>
            </tr>
          </thead>
          <tbody>
            {codes.map((code) => (
              <tr>
                <th scope="row">
                  <code>{code}</code>
                </th>
                <td>{voteWords(evidence(code))}</td>
                <td>{sentenceOf(code)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          Beside it, <code>freshness</code> says how the content of a {comparedKinds} mirror stands to its
          target's reference: <code>in_sync</code>, <code>behind</code> since the reference left its revision,{" "}
          <code>differs</code> if it moved to a revision that the reference did not have since,{" "}
          <code>unknown</code> where nothing can be compared.
        </p>
      </section>
    </>
  );
}

function voteWords(status: 0 | 1 | undefined): string {
  if (status === undefined) return "what it was";
  return status === 1 ? "1, online" : "0, offline";
}
