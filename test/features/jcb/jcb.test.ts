import { describe, expect, test } from "vitest";
import { jcb, jcbUrlProblem, jcbWarnings, organizationProblem } from "../../../src/features/jcb/jcb.ts";
import { configFrom, networkAt } from "../../support/mirrors-json.ts";

describe("a URL for Joomla Component Builder", () => {
  const good = `https://git.example.org/joomla/packages https://git.example.org//joomla/packages//
    http://git.example.org/joomla/.github http://192.0.2.1/a/b http://[2001:db8::1]/a/b http://git.example.org./a/b`;
  test.each(good.split(/\s+/))("fits: %s", (url) => {
    expect(jcbUrlProblem(url)).toBeUndefined();
  });

  const fails = "fails for the whole target";
  const long = `${"a".repeat(64)}.example.org`;

  test.each([
    ["https://git.example.org/", `without an organization and a repository in the path, it ${fails}`],
    ["https://git.example.org/a/b/c", 'it reads only "a/b" from the path'],
    ["https://git.example.org//a//b", 'it reads only "a/" from the path'],
    ["https://git.example.org/a/b.git", 'it keeps ".git", so it looks for "b.git" instead of "b"'],
    ["https://git.example.org:8443/a/b", "it drops the port 8443"],
    ["https://git.example.org/a/b?c=d", "it drops the query"],
    [`https://${long}/a/b`, `PHP rejects the host "${long}", so ${jcb.name} ${fails}`],
    ["https://my_git.example/a/b", `PHP rejects the host "my_git.example", so ${jcb.name} ${fails}`],
    ["http://git.example.org:81/a/b/c.git", 'it reads only "a/b" from the path; it drops the port 81'],
  ])("does not fit, and the problem says why: %s", (url, reasons) => {
    const end = "; use a URL such as https://host/organization/repository";
    expect(jcbUrlProblem(url)).toBe(`${jcb.name} misreads "${url}": ${reasons}${end}`);
  });
});

describe("the mirrors of a target for Joomla Component Builder", () => {
  test.each([
    [["https://git.vdm.dev/joomla/packages", "https://github.com/joomla/packages"]],
    [["https://git.vdm.dev/joomla/packages", "https://github.com/joomla/other"]],
    // Joomla Component Builder never fails over to this domain.
    [["https://git.vdm.dev/joomla/packages", "https://git.vdm.dev/joomengine/packages"]],
    [["https://git.vdm.dev/joomla/packages", "https://github.com/"]],
    [["https://github.com/joomengine/packages"]],
    [["https://git.example.org", "https://github.com"].flatMap((host) => [`${host}/a/x`, `${host}/b/x`])],
    [["https://git.example.org", "https://github.com"].flatMap((host) => [`${host}/a/x/`, `${host}/b/x`])],
  ])("are of one organization: %j", (urls) => {
    expect(organizationProblem(urls)).toBeUndefined();
  });

  test.each([
    [
      ["https://git.vdm.dev/joomla/packages", "https://github.com/joomengine/packages"],
      '"joomla" and "joomengine"',
      'if that is "joomla", it looks for "https://github.com/joomla/packages"',
    ],
    [
      ["https://github.com/a/x", "https://git.vdm.dev/b/x", "http://git.example.org:81/a/y"],
      '"a" and "b"',
      'if that is "b", it looks for "https://github.com/b/x"',
    ],
  ])("differ in organization: %j", (urls, names, failover) => {
    expect(organizationProblem(urls)).toBe(
      `its mirrors belong to the organizations ${names}, but ${jcb.name} keeps using the organization of the mirror it tries first: ${failover}, which is not a mirror; give the mirrors the same organization`,
    );
  });
});

test("warnings name the places, and a project that it does not ask for has one", () => {
  const urls = ["https://git.vdm.dev/joomla/packages", "https://github.com/joomengine/packages.git"];
  const targets = ["packages", "search"].map((target, index) => {
    return { target, network: networkAt(urls).map((node) => ({ ...node, id: node.id + 2 * index })) };
  });
  const system = (name: string) => ({ system: name, projects: [{ project: "jcb", targets }] });
  const warningsOf = (name: string): string[] => {
    const warnings = jcbWarnings(configFrom({ systems: [system(name)] }));
    return warnings.map(({ code, path, message }) => `${code} ${path.join(".")} ${message}`);
  };
  const problems = [` ${organizationProblem(urls)}`, `.network.1.url ${jcbUrlProblem(urls[1] ?? "")}`];
  const places = [0, 1].map((index) => `client systems.0.projects.0.targets.${index}`);
  expect(warningsOf("community")).toEqual(
    places.flatMap((place) => problems.map((problem) => `${place}${problem}`)),
  );
  expect(warningsOf("other")).toEqual([
    'client systems.0.projects.0 "other/jcb" is not read by Joomla Component Builder, which requests only community/jcb; rename it to community/jcb if it should be read',
  ]);
});
