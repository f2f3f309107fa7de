/**
 * Writes github-openapi.json: what the tests need of GitHub's own description of its REST API, without its texts and
 * examples. It comes from the npm package @octokit/openapi (MIT, Copyright (c) 2020 Octokit contributors), which is
 * 385 MB when it is installed, so it is not a dependency. To renew it:
 *
 *     npm pack @octokit/openapi@23.0.2 && tar -xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
 *     node test/support/github-openapi.js package/generated/api.github.com.json
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";

const operations = {
  "/repos/{owner}/{repo}/issues": ["get", "post"],
  "/repos/{owner}/{repo}/issues/{issue_number}": ["patch"],
  "/repos/{owner}/{repo}/issues/{issue_number}/comments": ["get", "post"],
};

const whole = JSON.parse(readFileSync(argv[2], "utf8"));
const components = {};

const paths = Object.fromEntries(
  Object.entries(operations).map(([path, methods]) => [
    path,
    Object.fromEntries(methods.map((method) => [method, excerpt(operation(path, method))])),
  ]),
);

function operation(path, method) {
  const { operationId, parameters, requestBody, responses } = whole.paths[path][method];
  return { operationId, parameters, requestBody, responses };
}

/** Returns a value without texts and examples. The components that it refers to are kept too. */
function excerpt(value, isNamed = false) {
  if (Array.isArray(value)) return value.map((one) => excerpt(one));
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ref === "string") keep(value.$ref);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNamed || !/^(?:description|summary|examples?|title|externalDocs|x-.*)$/.test(key))
      .map(([key, one]) => [key, excerpt(one, key === "properties" || key === "headers")]),
  );
}

function keep(reference) {
  const [, , kind, name] = reference.split("/");
  components[kind] ??= {};
  if (components[kind][name] !== undefined) return;
  components[kind][name] = {};
  components[kind][name] = excerpt(whole.components[kind][name]);
}

const { version, license } = whole.info;
const info = {
  title: "An excerpt of GitHub's description of its REST API, by @octokit/openapi",
  version,
  license,
};
const written = { openapi: whole.openapi, info, paths, components };
writeFileSync(join(import.meta.dirname, "github-openapi.json"), `${JSON.stringify(written, null, 1)}\n`);
