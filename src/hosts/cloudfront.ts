import { cacheControl, errorDocuments, type FeedNames, jsonText, placesOf } from "./contract.ts";
import { serverDelivery } from "./delivery.ts";
import { type Host, wholeContract } from "./host.ts";

/**
 * In bytes (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html). A key may have
 * 512 and a value 1,024: three names of 100 characters and a digit never do.
 */
const limits = { store: 5_000_000, function: 10_000 };

/** Amazon CloudFront before S3: a function decides by a key-value store which names there are. */
export const cloudfront: Host<"cloudfront"> = {
  name: "cloudfront",
  title: "S3 and CloudFront",
  // The function itself is tested, in Node and before a stand-in of S3; CloudFront cannot be had.
  capabilities: { ...wholeContract, rules: "named", proof: "read" },
  delivery: serverDelivery,
  publishing: [
    "`mirrorfeed host cloudfront --out edge` writes a CloudFront Function and the data of its key-value store.",
    "How the distribution, the bucket and the store have to be set stands at the top of the function.",
    `\`aws s3 sync _site s3://BUCKET --delete --exclude ".mirrorfeed/*" --cache-control "${cacheControl}"\``,
    "publishes the site. A name that comes or goes is a key to put after the sync, or to delete before it:",
    "`aws cloudfront-keyvaluestore update-keys`, or a new store made from the data.",
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
      "split the feed into several sites, each with a distribution of its own, or choose a host that looks at the files",
    ),
    ...tooLarge("The function", edgeFunction(basePath), limits.function, "mount the site at a shorter path"),
  ],
};

function tooLarge(what: string, content: string, limit: number, way: string): string[] {
  const size = Buffer.byteLength(content);
  if (size <= limit) return [];
  return [`${what} for CloudFront has ${size} bytes, and at most ${limit} are taken: ${way}.`];
}

/** The import format of a key-value store: a key for each name, below those above it. */
function keyValues(feed: FeedNames): string {
  const lines = placesOf(feed).map(({ place }) => JSON.stringify({ key: place, value: "1" }));
  return `{"data":[\n${lines.join(",\n")}\n]}\n`;
}

/** The function: the same for every feed. Its language is that of the runtime cloudfront-js-2.0, ES5 and a little more. */
function edgeFunction(basePath: string): string {
  const errors = Object.entries(errorDocuments).map(([name, document]) => {
    return `  ${JSON.stringify(name)}: { code: ${document.code}, body: ${JSON.stringify(jsonText(document))} },\n`;
  });
  return String.raw`// The contract of the status API, before a mirrorfeed site in S3. Runtime: cloudfront-js-2.0.
// 1. Make a key-value store from cloudfront-key-values.json and associate it with this function.
// 2. Associate the function with viewer requests and viewer responses.
// 3. Allow all methods in the behavior: POST gets the 405 below.
// 4. Let CloudFront list the bucket (s3:ListBucket), so that S3 answers 404 for a missing file, and add a custom
//    error response for 404: /errors/not-found.json, status 404. None for 400 and 403: those are answered here.
// 5. Attach the managed response headers policy SimpleCORS: no function is called for an error of the origin.
import cf from "cloudfront";

const base = ${JSON.stringify(basePath)}.split("/").slice(1).map(decode);
const levels = ["system", "project", "target"];
const errors = {
${errors.join("")}};
const store = cf.kvs();

async function handler(event) {
  if (event.context.eventType === "viewer-response") return share(event.response);
  const request = event.request;
  if (request.method !== "GET" && request.method !== "HEAD") return refuse("method");
  const path = request.uri.split("/").slice(1).map(decode);
  const isFolder = path[path.length - 1] === "";
  if (isFolder) path.pop();
  if (!base.every((name, depth) => path[depth] === name)) return refuse("not-found");
  const inside = path.slice(base.length);
  const names = inside.slice(2);
  const isNetwork = inside[0] === "v1" && inside[1] === "network";
  const error = isNetwork ? await faultOf(names) : inside.every(isServed) ? "" : "not-found";
  if (error) return refuse(error);
  if (!isFolder && (await isPage(inside))) return addSlash(request);
  request.uri = "/" + fileOf(inside, isFolder).map(encodeURIComponent).join("/");
  return request;
}

// The first level that is unknown, with one look if all are known.
async function faultOf(names) {
  const depth = Math.min(names.length, levels.length);
  if (!(await isKnown(names.slice(0, depth)))) {
    for (let above = 1; above < depth; above++) {
      if (!(await isKnown(names.slice(0, above)))) return levels[above - 1];
    }
    return levels[depth - 1];
  }
  if (names.length < 4) return "";
  return names.length === 4 && (names[3] === "0" || names[3] === "1") ? "" : "status";
}

async function isKnown(names) {
  return names.length === 0 || (names.every(isName) && (await store.exists(names.join("/"))));
}

async function isPage(path) {
  if (path.length < 2) return path.length === 0 || path[0] === "docs";
  return path[0] === "status" && path.length > 2 && path.length < 5 && (await isKnown(path.slice(1)));
}

// The relative links of a page need its slash.
function addSlash(request) {
  const last = request.uri.slice(request.uri.lastIndexOf("/") + 1);
  const query = request.querystring;
  const pairs = Object.keys(query).map((name) => (query[name].value ? name + "=" + query[name].value : name));
  const location = "./" + last + "/" + (pairs.length > 0 ? "?" : "") + pairs.join("&");
  return share({ statusCode: 301, headers: { location: { value: location } } });
}

// A folder stands for the document in it below /v1/network and /v1/report, elsewhere for the page.
function fileOf(path, isFolder) {
  if (path[0] === "v1" && (path[1] === "network" || path[1] === "report")) {
    return path[path.length - 1] === "index.json" ? path : path.concat("index.json");
  }
  const isFile = !isFolder && path[path.length - 1].includes(".");
  return isFile ? path : path.concat("index.html");
}

// What percent-encoding would change is in no name; a key of the store ends at 512 bytes.
function isName(text) {
  return text !== "" && text.length <= 100 && encodeURIComponent(text) === text;
}

function isServed(segment) {
  return segment !== "" && !segment.startsWith(".") && !segment.includes("/") && !segment.includes("\\");
}

function refuse(name) {
  const error = errors[name];
  const headers = { "content-type": { value: "application/json" } };
  if (name === "method") headers.allow = { value: "GET, HEAD" };
  return share({ statusCode: error.code, headers: headers, body: { encoding: "text", data: error.body } });
}

function share(response) {
  response.headers["access-control-allow-origin"] = { value: "*" };
  response.headers["cache-control"] = { value: ${JSON.stringify(cacheControl)} };
  return response;
}

// A malformed percent-encoding stays as it is: no name holds a percent sign.
function decode(segment) {
  try {
    return decodeURIComponent(segment);
  } catch (fault) {
    return segment;
  }
}
`;
}
