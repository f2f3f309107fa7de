import { sentenceOf } from "../kinds/kinds.ts";
import { formatDuration } from "../text/duration.ts";
import type { Node, RewrittenTag, Target } from "../model/feed.ts";
import type { Days } from "../model/uptime.ts";
import { percent } from "../text/count.ts";
import { DayBars, daysSummary } from "./days.tsx";
import { dayRows } from "./days-table.ts";
import { type PageFeed, projectPath, systemPath, targetPath } from "./links.ts";
import { LatencyChart } from "./latency.tsx";
import { pageDocument } from "./layout.tsx";
import { pageState } from "./page-state.ts";
import { Timestamp, Since } from "./timestamp.tsx";
import { StateHeading } from "./overview.tsx";
import { Breadcrumbs, RunHint } from "./project.tsx";
import { Shape } from "./shape.tsx";
import { summarize } from "./summary.ts";
import { factsOf } from "./node-facts.tsx";
import { shortRef, statusOf } from "./node-status.tsx";
import { HowToUse } from "./use.tsx";
import { TableHead } from "./table-head.tsx";

/**
 * Returns the page of a target: the evidence and the history of its nodes, and commands to use it. Nothing in it changes with
 * every run.
 */
export function targetPage(feed: PageFeed, target: Target): string {
  const { system, project, reference } = target;
  const summary = summarize(feed, [target]);
  return pageDocument({
    feed,
    title: `${target.target} · ${system} / ${project}`,
    description: summary.sentence,
    state: pageState(feed, [target]),
    path: targetPath(target),
    hasStatuses: true,
    children: (
      <>
        <Breadcrumbs
          feed={feed}
          ancestors={[
            { name: system, path: systemPath(system) },
            { name: project, path: projectPath(target) },
          ]}
          current={target.target}
        />
        <StateHeading summary={summary}>
          {reference !== undefined && (
            <p class="reference">
              The reference is at <code>{reference.revision}</code>
              {reference.branch !== undefined && [" on ", <code>{shortRef(reference.branch)}</code>]},{" "}
              <Since at={reference.since} />.
            </p>
          )}
          {reference?.rewritten.map((one) => rewrittenLine(one))}
          <RunHint feed={feed} />
        </StateHeading>
        {target.nodes.map((node) => nodeSection(feed, node))}
        <HowToUse feed={feed} target={target} />
      </>
    ),
  });
}

/** Renders a tag that was rewritten. A tag should always name the same object. */
function rewrittenLine({ at, tag, from, to }: RewrittenTag): preact.JSX.Element {
  const change = to === undefined ? "vanished from the reference" : "was rewritten in the reference";
  return (
    <p class="reference">
      <b class="notice">
        The tag {shortRef(tag)} {change}
      </b>{" "}
      (<code>{from}</code>
      {to !== undefined && [" to ", <code>{to}</code>]}), <Timestamp at={at} />.
    </p>
  );
}

function nodeSection(feed: PageFeed, node: Node): preact.JSX.Element {
  const days = node.days();
  const { shape, word } = statusOf(feed, node);
  return (
    <section class="evidence" id={`node-${node.id}`}>
      <h2>
        <Shape name={shape} />
        <a href={node.url} rel="noreferrer">
          {node.name}
        </a>
        {node.primary && <small> primary</small>}
      </h2>
      <dl>
        {factsOf(feed, node, <b class={shape}>{word}</b>).map(([term, fact]) => (
          <div>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <div>
        <a class="days" href={`#days-${node.id}`} aria-label={daysSummary(node, days)}>
          <DayBars days={days} />
        </a>
        {uptimeTable(node)}
        {days !== undefined && historyOf(node, days)}
        {changesOf(node)}
      </div>
    </section>
  );
}

const windows = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
  ["90d", "90 days"],
] as const;

function uptimeTable({ name, uptime }: Node): preact.JSX.Element {
  return (
    <table class="uptime" aria-label={`Uptime of ${name}, up to the last midnight in UTC`}>
      <thead>
        <tr>
          <td />
          {windows.map(([, words]) => (
            <th scope="col">{words}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">uptime</th>
          {windows.map(([key]) => {
            const { ratio } = uptime[key];
            return <td>{ratio === undefined ? "–" : percent(ratio)}</td>;
          })}
        </tr>
        <tr>
          <th scope="row">observed</th>
          {windows.map(([key]) => (
            <td>{percent(uptime[key].coverage, 0)}</td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function historyOf(node: Node, days: Days): preact.JSX.Element {
  const hasLatency = days.latency_ms.mean.some((mean) => mean !== null);
  return (
    <>
      {hasLatency && (
        <details id={`latency-${node.id}`}>
          <summary>Latency</summary>
          <LatencyChart
            days={days}
            label={`Latency of ${node.name} by day, in milliseconds; the table of days has the numbers`}
          />
        </details>
      )}
      <details id={`history-${node.id}`}>
        <summary>Day by day</summary>
        <div class="scroll" tabindex={0} role="region" aria-label={`The days of ${node.name}`}>
          <table id={`days-${node.id}`}>
            <TableHead titles={["Day, UTC", "Result", "Observed", "Mean ms", "Min", "Max"]} />
            <tbody dangerouslySetInnerHTML={{ __html: dayRows(days) }} />
          </table>
        </div>
      </details>
    </>
  );
}

function changesOf({ id, transitions }: Node): preact.JSX.Element {
  if (transitions.length === 0) return <p class="quiet">Its status has not changed since the feed began.</p>;
  return (
    <details id={`changes-${id}`}>
      <summary>Changes</summary>
      <table>
        <TableHead titles={["Time", "Status", "Reason", "After"]} />
        <tbody>
          {transitions.map(({ at, status, code, after_seconds }) => (
            <tr>
              <td>
                <Timestamp at={at} />
              </td>
              <td>
                <b class={status === 1 ? "online" : "offline"}>{status === 1 ? "online" : "offline"}</b>
              </td>
              <td>{sentenceOf(code)}</td>
              <td>{after_seconds === undefined ? "–" : formatDuration(after_seconds * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
