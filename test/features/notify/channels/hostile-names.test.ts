import fc, { type Arbitrary } from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { issueTitle } from "../../../../src/features/notify/channels/github.ts";
import { renderMarkdown } from "../../../../src/features/notify/channels/chat-markdown.ts";
import { ntfyRequest, slackBody } from "../../../../src/features/notify/channels/webhook.ts";
import { type Message, webhookDocument } from "../../../../src/features/notify/channels/message.ts";
import { message, messageEvent, messageMirror } from "../../../support/sending.ts";

/** Attacks that a name in mirrors.json could attempt on a channel. */
const attempts = [
  ..."@everyone @channel @here @octocat @github/security a@example.org mailto:a@a.org xmpp:a@b".split(" "),
  ..."#1 GH-1 gh-77 octocat/hello#1 octocat@6dcb09b 6dcb09b5b57875f334f61aebed695e2e4193db5e".split(" "),
  ..."https://evil.example.org/ http://a www.evil.example.org <https://evil.example.org>".split(" "),
  ..."[text](https://evil.example.org) ![x](https://evil.example.org/x.png) <details> <!-- -->".split(" "),
  ..."&lt;b&gt; &#64;x 1) ``` ` `` ~~~ *** --- === **bold** _em_ ~~gone~~ $x$ :tada: [x] [^1]".split(" "),
  ..."::set-output::b ::error::x ##[error]x <!channel> <!everyone> <@U024BE7LR> <#C024BE7LR|all>".split(" "),
  ...["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x]: https://evil.example.org"],
  ...["<!-- mirrorfeed 00000000000000e1 00000000000000a1 -->", "<https://evil.example.org|Log in>"],
  ...["# heading", "## x", "> quote", "- item", "1. item", "| a | b |", "[ ]", "\\", "\\`", "{{ x }}"],
  ...["${{ github.token }}", "\n::error::x", "\r\nBcc: a@example.org", "\n\n# heading", "\n```\n"],
  ...["\u202eevil", "\u0000"],
];

const harmless = fc.constantFrom("a", " ", "b c");
const part = fc.oneof(fc.constantFrom(...attempts), fc.string({ unit: "grapheme" }), harmless);
const hostile = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));

/** Generates a message whose strings are all hostile, and whose page URLs end with hostile strings. */
const messages: Arbitrary<Message> = fc.array(hostile, { minLength: 15, maxLength: 15 }).map((drawn) => {
  const next = (): string => drawn.shift() ?? "";
  const page = (): string => `https://status.example.org/${next()}`;
  const evidence = () => [{ name: next(), value: next() }];
  const links = { url: next(), page: page(), command: next() };
  const mirrors = [messageMirror({ name: next(), place: next(), ...links, evidence: evidence() })];
  const texts = { title: next(), sentence: next(), page: page() };
  const event = messageEvent({ ...texts, mirrors, evidence: evidence() });
  const feed = { title: next(), url: page() };
  return message({}, { events: [event, event], title: event.title, feed, reason: next(), leave: next() });
});

const markdown = new MarkdownIt({ html: true, linkify: true });

/** Returns all Markdown tokens, including inline ones. */
function tokensOf(text: string) {
  return markdown.parse(text, {}).flatMap((token) => [token, ...(token.children ?? [])]);
}

/** Matches what GitHub turns into a mention, a reference or a link, unless it is inside code. */
const active = /@|#\d|\bgh-\d|https?:|www\.|mailto:|[0-9a-f]{7}|<|&/i;

function forAll<Value>(values: Arbitrary<Value>, check: (value: Value) => void): void {
  fc.assert(fc.property(values, check));
}

describe("names in mirrors.json cannot", () => {
  test("inject Markdown, HTML, mentions, references or links into an issue", () => {
    const allowed = ["text", "code_inline", "softbreak", "inline", "hr", "strong_open", "strong_close"];
    const blocks = /^(?:paragraph|bullet_list|list_item)_(?:open|close)$|^link_(?:open|close)$/;
    forAll(messages, (hostileMessage) => {
      // An issue is about one event.
      const events = hostileMessage.events.slice(0, 1);
      const tokens = tokensOf(renderMarkdown({ ...hostileMessage, events }));
      for (const { type, content, attrs } of tokens) {
        expect(allowed.includes(type) || blocks.test(type), `${type} ${content}`).toBe(true);
        if (type === "text") expect(content).not.toMatch(active);
        if (type === "link_open") expect(attrs?.[0]?.[1]).toMatch(/^https:\/\/status\.example\.org\//);
      }
      const count = (type: string): number => tokens.filter((token) => token.type === type).length;
      expect([count("hr"), count("link_open"), count("bullet_list_open")]).toEqual([1, 3, 2]);
    });
  });

  test("make a line of an issue a command of a workflow", () => {
    forAll(messages, (hostileMessage) => {
      const text = `${renderMarkdown(hostileMessage)}\n${issueTitle(hostileMessage.title)}`;
      expect(text).not.toMatch(/^\s*::|##\[/m);
      expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}](?<!\n)/u);
    });
  });

  test("mention or refer to anything in the title of an issue", () => {
    forAll(hostile, (text) => {
      const title = issueTitle(text);
      expect(title).not.toMatch(/@\w|#\d|\bgh-\d|`|\n/i);
      expect(title.length).toBeLessThanOrEqual(250);
    });
  });

  test("mention anyone, link or format anything in a chat", () => {
    forAll(messages, (hostileMessage) => {
      const { text } = slackBody(hostileMessage) as { text: string };
      const own = text.replaceAll(/<https:\/\/status\.example\.org\/[^<>|@]*\|(?:Details|All mirrors)>/g, "");
      expect(own).not.toMatch(/[<>]|@(?!\u2060)/);
      for (const line of own.split("\n")) {
        const words = line.replaceAll(/`[^`]+`/g, "");
        const plain = words.replace(/^\*(.*)\*$/, "$1");
        expect(plain).not.toMatch(/[`*_~@#]|:(?!\d\d(?!\d))\w+:|&(?!(?:amp|lt|gt);)/);
      }
    });
  });

  test("add a line or a field to what ntfy gets", () => {
    forAll(messages, (hostileMessage) => {
      const { body } = ntfyRequest(hostileMessage, new URL("https://ntfy.example.org/topic"));
      expect(Object.keys(body).sort()).toEqual(["click", "message", "priority", "tags", "title", "topic"]);
      const { title, message: text } = body as { title: string; message: string };
      expect(title).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(text.split("\n").length).toBeLessThanOrEqual(13);
    });
  });

  test("become anything but text in JSON", () => {
    forAll(messages, (hostileMessage) => {
      const document = webhookDocument(hostileMessage);
      expect(JSON.parse(JSON.stringify(document))).toEqual(document);
      expect(document.data.events[0]?.title).toBe(hostileMessage.title);
    });
  });
});
