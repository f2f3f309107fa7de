import { hostAndPort } from "../text/url.ts";
import { cacheControl, errorDocuments, networkRoot } from "./contract.ts";
import { serverDelivery } from "./delivery.ts";
import { type Host, type ServerInput, wholeContract } from "./host.ts";
import { quotedFor } from "./server-text.ts";

/** lighttpd reads escapes in double quotes. */
const quoted = quotedFor("lighttpd", /["\\]/, "one without quotes and backslashes");

/**
 * lighttpd 1.4.60 or later with mod_magnet: a file to include, and its Lua script, which checks the files of the site.
 * lighttpd caches that for about a second.
 */
export const lighttpd: Host<"lighttpd"> = {
  name: "lighttpd",
  title: "lighttpd",
  capabilities: wholeContract,
  delivery: serverDelivery,
  publishing: [
    "Build into a folder that lighttpd may read, `mirrorfeed run --out /srv/site`, and `apt install lighttpd-modules-lua`.",
    "`mirrorfeed host lighttpd --root /srv/site --listen 0.0.0.0:80 --out /etc/mirrorfeed` writes a `.conf` and a `.lua`.",
    "`echo 'include \"/etc/mirrorfeed/mirrorfeed.conf\"' >> /etc/lighttpd/lighttpd.conf` includes them; then",
    "`systemctl restart lighttpd`. Do this once: lighttpd serves each later build within a second.",
  ],
  siteFiles: () => [],
  serverFiles: (input) => [
    { path: "mirrorfeed.conf", content: configuration(input) },
    { path: "mirrorfeed.lua", content: lua(input.basePath) },
  ],
};

function configuration({ listen: { address, port }, root, companions }: ServerInput): string {
  return `# The site of mirrorfeed for lighttpd. With mirrorfeed.lua in the folder named below, add at the end of lighttpd.conf
#   include ${quoted(`${companions}/mirrorfeed.conf`)}
# then
#   systemctl restart lighttpd
# It lists no names: a name is known if its index.json exists. If the path of site.url changes, write it again.
server.modules += ( "mod_magnet" )

# A name with a line feed or invalid UTF-8 is then unknown like any other. This replaces the option for the whole
# server: add what you had changed here.
server.http-parseopts := ( "url-ctrls-reject" => "disable", "url-invalid-utf8-reject" => "disable" )

$SERVER["socket"] == ${quoted(hostAndPort(address, port))} {
    server.document-root = ${quoted(root)}
    # Debian denies paths that end with a tilde, in HTML.
    url.access-deny = ()
    magnet.attract-physical-path-to = ( ${quoted(`${companions}/mirrorfeed.lua`)} )
    mimetype.assign = (
        ".atom" => "application/atom+xml",
        ".conf" => "text/plain; charset=utf-8",
        ".css"  => "text/css; charset=utf-8",
        ".html" => "text/html; charset=utf-8",
        ".ico"  => "image/x-icon",
        ".ics"  => "text/calendar; charset=utf-8",
        ".ini"  => "text/plain; charset=utf-8",
        ".jpg"  => "image/jpeg",
        ".js"   => "text/javascript; charset=utf-8",
        ".json" => "application/json",
        ".list" => "text/plain; charset=utf-8",
        ".meta4" => "application/metalink4+xml",
        ".metalink" => "application/metalink+xml",
        ".png"  => "image/png",
        ".svg"  => "image/svg+xml",
        ".txt"  => "text/plain; charset=utf-8",
        ".webmanifest" => "application/manifest+json",
        ".webp" => "image/webp",
        ".xml"  => "text/xml; charset=utf-8",
        ""      => "application/octet-stream",
    )
}
`;
}

function lua(base: string): string {
  const errors = Object.entries(errorDocuments).map(([name, { code }]) => `  ["${name}"] = ${code},\n`);
  return `-- The contract of the status API for lighttpd, from the files of a mirrorfeed site. It lists no names: a name is known
-- if its index.json exists.

local base = "${base}"
local network = "/${networkRoot}"
local levels = { "system", "project", "target" }
local codes = {
${errors.join("")}}

local request = lighty.r.req_attr
local headers = lighty.r.resp_header
local root = request["physical.doc-root"]:gsub("/+$", "")

local function is_file(path)
  local found = lighty.c.stat(root .. path)
  return found and found["is_file"]
end

local function serve(path)
  request["physical.path"] = root .. path
  return 0
end

local function fail(name)
  headers["Content-Type"] = "application/json"
  if name == "method" then headers["Allow"] = "GET, HEAD" end
  lighty.r.resp_body:set({ { filename = root .. "/errors/" .. name .. ".json" } })
  return codes[name]
end

-- The first level from the left without a document decides.
local function answer_names(names)
  local folder, depth = network, 0
  for name in names:gmatch("[^/]+") do
    folder, depth = folder .. "/" .. name, depth + 1
    if not is_file(folder .. "/index.json") then return fail(levels[depth] or "status") end
  end
  return serve(folder .. "/index.json")
end

-- A page redirects to its path with a slash, which its relative links need.
local function add_slash()
  local last, query = request["request.orig-uri"]:match("^[^?]*/([^/?]+)(.*)$")
  headers["Location"] = "./" .. last .. "/" .. query
  return 301
end

-- The rest of the site, except names that begin with a dot. A folder answers with the document or the page in it.
local function answer_file(path)
  if path:find("/.", 1, true) then return fail("not-found") end
  if path:sub(-1) ~= "/" and not is_file(path .. "/index.json") and is_file(path .. "/index.html") then
    return add_slash()
  end
  for _, file in ipairs({ path .. "/index.json", path .. "/index.html", path }) do
    if is_file(file) then return serve(file) end
  end
  return fail("not-found")
end

local function answer()
  local method, path = request["request.method"], request["uri.path"]
  if method ~= "GET" and method ~= "HEAD" then return fail("method") end
  -- C would read a path only up to a NUL.
  path = path:gsub("%c", "?")
  if path:sub(1, #base) ~= base then return fail("not-found") end
  path = path:sub(#base + 1)
  if path:sub(1, #network + 1) == network .. "/" then return answer_names(path:sub(#network + 2)) end
  if path ~= "" and path:sub(1, 1) ~= "/" then return fail("not-found") end
  return answer_file(path)
end

headers["Access-Control-Allow-Origin"] = "*"
headers["Cache-Control"] = "${cacheControl}"
return answer()
`;
}
