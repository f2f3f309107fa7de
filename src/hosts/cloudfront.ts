import { cacheControl, type FeedNames, placesOf } from "./contract.ts";
import { serverDelivery } from "./delivery.ts";
import { errorLines } from "./edge-function.ts";
import { type Host, wholeContract } from "./host.ts";

/**
 * In bytes (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). A key has at
 * most 512 bytes and a value 1,024: three names of at most 100 characters, and a digit, always fit.
 */
const limits = { store: 5_000_000, function: 10_000 };

/** Amazon CloudFront in front of S3: a function finds the known names in a key-value store. */
export const cloudfront: Host<"cloudfront"> = {
  name: "cloudfront",
  title: "S3 and CloudFront",
  // The function is tested in Node.js, in front of a substitute for S3. CloudFront itself has no emulator.
  capabilities: { ...wholeContract, rules: "named", proof: "documented" },
  delivery: serverDelivery,
  publishing: [
    "`mirrorfeed host cloudfront --out edge` writes a CloudFront Function and the data of its key-value store.",
    "Comments at the top of the function say how to set up the distribution, the bucket and the store.",
    `\`aws s3 sync _site s3://BUCKET --delete --exclude ".mirrorfeed/*" --cache-control "${cacheControl}"\``,
    "publishes the site. Put the key of a new name after the sync, and delete that of a removed one before it:",
    "`aws cloudfront-keyvaluestore update-keys`, or a new store with the new data.",
  ],
  siteFiles: () => [],
  serverFiles: ({ feed, basePath }) => [
    { path: "cloudfront-function.js", content: edgeFunction(basePath) },
    { path: "cloudfront-key-values.json", content: keyValues(feed) },
  ],
  warnings: ({ feed, basePath }) => [
    ...tooLarge(
      "The key-value data",
      keyValues(feed),
      limits.store,
      "split the feed into several sites, each with a distribution of its own, or choose a host that checks the files",
    ),
    ...tooLarge(
      "The function",
      edgeFunction(basePath),
      limits.function,
      "publish the site at a shorter path",
    ),
  ],
};

function tooLarge(what: string, content: string, limit: number, remedy: string): string[] {
  const size = Buffer.byteLength(content);
  if (size <= limit) return [];
  return [`${what} has ${size} bytes, and CloudFront allows ${limit}: ${remedy}.`];
}

/** Returns the import format of a key-value store: a key for each name, with the names above it. */
function keyValues(feed: FeedNames): string {
  const lines = placesOf(feed).map(({ place }) => JSON.stringify({ key: place, value: "1" }));
  return `{"data":[\n${lines.join(",\n")}\n]}\n`;
}

/** Returns the function, the same for every feed, for the runtime cloudfront-js-2.0: ES5 and a little more. */
function edgeFunction(basePath: string): string {
  return String.raw`// The contract of the status API, in front of a mirrorfeed site in S3. Runtime: cloudfront-js-2.0.
// 1. Create a key-value store from cloudfront-key-values.json and associate it with this function.
// 2. Associate the function with viewer requests and viewer responses.
// 3. Allow all methods in the behavior: the function answers POST with 405.
// 4. Let CloudFront list the bucket (s3:ListBucket), so that S3 answers 404 for a missing file, and add a custom
//    error response for 404: /errors/not-found.json, status 404. Add none for 400 and 403.
// 5. Attach the managed response headers policy SimpleCORS: CloudFront calls no function for an error of the origin.
import cf from "cloudfront";

const base = ${JSON.stringify(basePath)}.split("/").slice(1).map(decode);
const levels = ["system", "project", "target"];
const errors = {
${errorLines("code")}};
const store = cf.kvs();

async function handler(event) {
  if (event.context.eventType === "viewer-response") return addHeaders(event.response);
  const request = event.request;
  if (!["GET", "HEAD"].includes(request.method)) return fail("method");
  const path = request.uri.split("/").slice(1).map(decode);
  const isFolder = path[path.length - 1] === "";
  if (isFolder) path.pop();
  if (!base.every((name, depth) => path[depth] === name)) return fail("not-found");
  const inside = path.slice(base.length);
  const isNetwork = inside[0] === "v1" && inside[1] === "network";
  const error = isNetwork ? await errorOf(inside.slice(2)) : inside.every(isServed) ? "" : "not-found";
  if (error) return fail(error);
  if (!isFolder && (await isPage(inside))) return addSlash(request);
  request.uri = "/" + fileOf(inside, isFolder).map(encodeURIComponent).join("/");
  return request;
}

// One request to the store if all is known.
async function errorOf(names) {
  const depth = Math.min(names.length, levels.length);
  if (!(await isKnown(names.slice(0, depth)))) {
    for (let above = 1; above < depth; above++) {
      if (!(await isKnown(names.slice(0, above)))) return levels[above - 1];
    }
    return levels[depth - 1];
  }
  if (names.length < 4) return "";
  return names.length === 4 && ["0", "1"].includes(names[3]) ? "" : "status";
}

async function isKnown(names) {
  return names.length === 0 || (names.every(isName) && (await store.exists(names.join("/"))));
}

async function isPage(path) {
  const folder = path[0] || "docs";
  const names = path.slice(1);
  if (!names.length) return ["docs", "status", "incidents"].includes(folder);
  if (folder === "incidents") return names.length < 2 && isName(names[0]);
  if (names.length === 4 && names[3] > 0) names.pop();
  return ["status", "embed"].includes(folder) && names.length < 4 && (await isKnown(names));
}

// Relative links need the slash.
function addSlash(request) {
  const last = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  const query = request.querystring;
  const pairs = Object.keys(query).map((name) => (query[name].value ? name + "=" + query[name].value : name));
  const location = "./" + last + "/" + (pairs.length > 0 ? "?" : "") + pairs.join("&");
  return addHeaders({ statusCode: 301, headers: { location: { value: location } } });
}

function fileOf(path, isFolder) {
  if (path[0] === "v1" && ["network", "report"].includes(path[1])) {
    return path[path.length - 1] === "index.json" ? path : path.concat("index.json");
  }
  const isFile = !isFolder && path[path.length - 1].includes(".");
  return isFile ? path : path.concat("index.html");
}

// No name changes by percent-encoding. A key has at most 512 bytes.
function isName(text) {
  return text !== "" && text.length <= 100 && encodeURIComponent(text) === text;
}

function isServed(segment) {
  return segment !== "" && !segment.startsWith(".") && !segment.includes("/") && !segment.includes("\\");
}

function fail(name) {
  const error = errors[name];
  const headers = { "content-type": { value: "application/json" } };
  if (name === "method") headers.allow = { value: "GET, HEAD" };
  return addHeaders({ statusCode: error.code, headers: headers, body: { encoding: "text", data: error.body } });
}

function addHeaders(response) {
  response.headers["access-control-allow-origin"] = { value: "*" };
  response.headers["cache-control"] = { value: ${JSON.stringify(cacheControl)} };
  return response;
}

// A malformed segment stays as it is: no name has a percent sign.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    return segment;
  }
}
`;
}
