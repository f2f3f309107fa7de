import fc from "fast-check";
import { expect, test } from "vitest";
import { addressesIn, addressOf, locate } from "../../../src/features/pages/pasted-text.ts";

const mirrors = [
  "https://github.com/joomengine/gitea",
  "https://github.com/joomengine/gitea-tools",
  "https://git.vdm.dev:8443/Joomla/gitea",
  "http://deb.example.org/debian",
  "http://deb.example.org/debian/security/",
  "https://mirror.example.net/",
  "https://xn--mnchen-3ya.example.org/pub",
].map((url) => ({ url }));
const located = locate(mirrors);
const [gitea, tools, vdm, debian, security, root, munich] = mirrors.map(({ url }) => url);

function urlsAt(text: string): string[] {
  return [...new Set(located.mirrorsAt(addressesIn(text)))].map(({ url }) => url);
}

test.each([
  ["https://github.com/joomengine/gitea", [gitea]],
  ["https://github.com/joomengine/gitea/", [gitea]],
  ["http://github.com/joomengine/gitea.git", [gitea]],
  ["github.com/joomengine/gitea", [gitea]],
  ["GitHub.com/JoomEngine/Gitea", [gitea]],
  ["https://me:secret@github.com/joomengine/gitea.git", [gitea]],
  ["git@github.com:joomengine/gitea.git", [gitea]],
  ["ssh://git@github.com:22/joomengine/gitea.git", [gitea]],
  ["git clone https://github.com/joomengine/gitea-tools", [tools]],
  ["https://github.com/joomengine/gitea.git/info/refs?service=git-upload-pack", [gitea]],
  ["https://git.vdm.dev/joomla/gitea", [vdm]],
  ["git@github.com:joomengine/gitea.git (fetch) b\thttps://git.vdm.dev/joomla/gitea (push)", [gitea, vdm]],
  ["fatal: unable to access 'https://github.com/joomengine/gitea/': Could not resolve: github.com", [gitea]],
  ["deb [arch=amd64 signed-by=/usr/share/k.gpg] http://deb.example.org/debian bookworm main", [debian]],
  ["E: Failed to fetch http://deb.example.org/debian/dists/bookworm/InRelease  403  Forbidden", [debian]],
  ["Err:1 http://deb.example.org/debian/security bookworm-security InRelease", [security]],
  ["(see https://mirror.example.net/pool/a.deb).", [root]],
  ["https://münchen.example.org/pub/file", [munich]],
  ["https://github.com/joomengine", []],
  ["https://elsewhere.example.org/debian", []],
  ["unsteady mirrors", []],
] as const)("%s is about %j", (text, urls) => {
  expect(urlsAt(text)).toEqual(urls);
});

test.each([
  ["curl: (6) Could not resolve host: deb.example.org", [debian, security]],
  ["ssh: connect to host git.vdm.dev port 22: Connection refused", [vdm]],
  ["Temporary failure resolving 'mirror.example.net'", [root]],
] as const)("%s names the host of %j", (text, urls) => {
  expect(located.mirrorsOfHosts(addressesIn(text)).map(({ url }) => url)).toEqual(urls);
});

const name = fc.stringMatching(/^[a-z][a-z\d]{0,8}$/);
const place = fc.record({ host: name, path: fc.array(name, { minLength: 1, maxLength: 3 }) });

test("every mirror is found by its URL, however it is written", () => {
  const written = fc.record({
    place,
    scheme: fc.constantFrom("https://", "http://", "ssh://", ""),
    user: fc.constantFrom("", "git@", "me:secret@"),
    port: fc.constantFrom("", ":443", ":3000"),
    end: fc.constantFrom("", "/", ".git", ".git/", "/a/file.txt", "/?query"),
    around: fc.constantFrom("URL", "fatal: 'URL': no", "(URL)", "origin\tURL (fetch)", "deb URL stable main"),
  });
  fc.assert(
    fc.property(written, ({ place: { host, path }, scheme, user, port, end, around }) => {
      const mirror = { url: `https://${host}.example.org/${path.join("/")}` };
      const rival = { url: `https://other.example.org/${path.join("/")}` };
      // Without a scheme, what precedes @ is not part of an address.
      const address = `${scheme}${scheme === "" ? "" : user}${host}.example.org${port}/${path.join("/")}${end}`;
      const addresses = addressesIn(around.replace("URL", address));
      expect(locate([rival, mirror]).mirrorsAt(addresses)).toEqual([mirror]);
    }),
  );
});

test("any text can be pasted", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
      for (const { host, path } of addressesIn(text))
        expect(addressOf(`https://${host}${path}`)).toBeDefined();
    }),
  );
  const started = performance.now();
  for (const text of ["a".repeat(1e6), "a.".repeat(1e5), "@".repeat(1e5), "a@a:".repeat(1e5)])
    addressesIn(text);
  expect(performance.now() - started).toBeLessThan(1000);
});
