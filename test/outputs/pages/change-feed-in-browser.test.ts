import { textOf } from "../../support/text-of.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderFeeds } from "../../../src/outputs/changes/change-feed.ts";
import { parseXml, type XmlElement } from "../changes/xml.ts";
import { play, roundsArbitrary } from "../../support/playing.ts";
import { trials } from "../../support/trials.ts";
import { describeInBrowser } from "./browser.ts";

describeInBrowser("the parser of a browser", (tabs) => {
  /** Returns an element as the browser parses it. A string, since the code runs in a page with other types. */
  const readElements = `(texts) => texts.map((text) => {
    const read = (element) => ({
      name: element.localName,
      attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
      children: [...element.childNodes].reduce((children, node) => {
        if (node.nodeType === Node.ELEMENT_NODE) return [...children, read(node)];
        const last = children.at(-1);
        return typeof last === "string"
          ? [...children.slice(0, -1), last + node.data]
          : node.data === "" ? children : [...children, node.data];
      }, []),
    });
    const { documentElement } = new DOMParser().parseFromString(text, "application/xml");
    return read(documentElement);
  })`;

  test("reads the feeds like the parser of the tests", async () => {
    const texts = fc.sample(roundsArbitrary, { numRuns: trials(10), seed: 1 }).flatMap(({ config, rounds }) =>
      renderFeeds(play(config, rounds).feed)
        .filter(({ path }) => path.endsWith(".atom"))
        .map(textOf),
    );
    const tab = await tabs.open();
    const elements = await tab.evaluate<XmlElement[]>(`(${readElements})(${JSON.stringify(texts)})`);
    expect(elements).toEqual(texts.map((text) => parseXml(text)));
  });
});
