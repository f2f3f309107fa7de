import type { MirrorList } from "./list.ts";

/** A mirror list for apt (apt-transport-mirror(1)). Without priorities apt would choose at random. */
export const aptList: MirrorList = {
  extension: "list",
  type: "text/plain",
  tool: "apt",
  title: "The mirrors for apt, best first",
  description:
    "A list for apt's `mirror+https` and `mirror+http`, with a priority for each mirror. If a mirror fails, apt takes the next one. Needs apt 1.6 or later.",
  usage: {
    title: "A line of sources.list for apt",
    line: (url, { suite: given }) => {
      const suite = typeof given === "string" ? given : "stable";
      return `deb mirror+${url} ${suite}${suite.endsWith("/") ? "" : " main"}`;
    },
  },
  render: ({ mirrors }) =>
    mirrors.map(({ url }, index) => `${url.replace(/\/*$/, "/")}\tpriority:${index + 1}\n`).join(""),
};
