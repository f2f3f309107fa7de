import type { Node } from "../model/feed.ts";
import type { Days } from "../model/uptime.ts";
import { dayBars } from "./days.tsx";
import { incidentLinks } from "./incident-list.tsx";
import { latencyChart } from "./latency.tsx";
import { link, maxSections, type PageFeed } from "./links.ts";
import { factRows, factsOf } from "./node-facts.tsx";
import { statusOf } from "./node-status.tsx";
import { sentenceIn } from "./sentence.ts";
import { TableHead } from "./table-head.tsx";
import { timestamp } from "./timestamp.tsx";
import { ratioText, uptimeWindows } from "./uptime-windows.tsx";

/**
 * Renders everything about one mirror below its name: facts, uptime, days, latency and changes. On the page of its target the
 * table has its days already, and the page its report. The script adds the table of its days.
 */
export function nodeDetails(feed: PageFeed, node: Node, days: Days | undefined): preact.JSX.Element {
  const { words } = feed;
  const { shape, word } = statusOf(feed, node);
  const report = link(feed, `/v1/report/${node.target.place}/`);
  const hasOwnPage = node.target.size > maxSections;
  return (
    <>
      <dl>{factRows(factsOf(feed, node, <b class={shape}>{word}</b>))}</dl>
      <div>
        {uptimeWindows(words, node, days)}
        {hasOwnPage && (
          <a class="days" href={report} aria-label={words.mirrors.nodeSection.everyDay}>
            {dayBars(days)}
          </a>
        )}
        {hasLatency(days) && latencyChart(feed, days)}
        {hasOwnPage && days !== undefined && (
          <p class="history">
            <a href={report}>{words.mirrors.nodeSection.everyDay}</a>
          </p>
        )}
        {vantagesOf(feed, node)}
        {incidentLinks(feed, node)}
        {changesOf(feed, node)}
      </div>
    </>
  );
}

function hasLatency(days: Days | undefined): days is Days {
  return days?.latency_ms.mean.some((mean) => mean !== null) ?? false;
}

/** Renders the uptime by vantage, if there are several. The script adds what each observed in the last run. */
function vantagesOf(feed: PageFeed, node: Node): preact.JSX.Element | null {
  const { words } = feed;
  const vantages = feed.vantages.length < 2 ? [] : node.vantages();
  if (vantages.length < 2) return null;
  const { vantage, midnight, observed } = words.mirrors.nodeSection;
  return (
    <table class="vantages">
      <TableHead titles={[vantage, midnight, observed]} />
      <tbody>
        {vantages.map((one) => (
          <tr data-vantage={one.vantage}>
            <th scope="row">{one.vantage}</th>
            <td>{ratioText(words, one.uptime.ratio)}</td>
            <td>{words.number.percent(one.uptime.coverage, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function changesOf(feed: PageFeed, { id, transitions }: Node): preact.JSX.Element | null {
  const { words } = feed;
  const own = words.mirrors.nodeSection;
  if (transitions.length === 0) return null;
  return (
    <details id={`changes-${id}`}>
      <summary>{own.changes}</summary>
      <table>
        <TableHead titles={[own.time, own.status, own.reason, own.after]} />
        <tbody>
          {transitions.map(({ at, status, code, after_seconds }) => (
            <tr>
              <td>{timestamp(feed, at)}</td>
              <td>
                <b class={status === 1 ? "online" : "offline"}>{status === 1 ? own.online : own.offline}</b>
              </td>
              <td>{sentenceIn(words, code)}</td>
              <td>{after_seconds === undefined ? "–" : words.number.duration(after_seconds * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
