import { cacheControl, networkRoot, notFoundPage } from "../../core/contract/contract.ts";
import { type Host, mediaTypes, quotedFor, serverDelivery, type ServerInput, wholeContract } from "./host.ts";

/** Caddy expands placeholders in double quotes, and treats the root of a site as a pattern. */
const quoted = quotedFor(
  "Caddy",
  /["\\{}*?[\]]/,
  "a folder without quotes, backslashes or any of { } * ? [ ]",
);

/** Caddy 2.6 or later: a site block for a Caddyfile. Caddy looks up files at each request. */
export const caddy: Host<"caddy"> = {
  name: "caddy",
  title: "Caddy",
  capabilities: wholeContract,
  delivery: serverDelivery,
  siteFiles: () => [],
  serverFiles: (input) => [{ path: "mirrorfeed.caddy", content: caddyfile(input) }],
};

function caddyfile({ basePath: base, listen: { address, port }, root }: ServerInput): string {
  const types = mediaTypes.map(([type, ...extensions]) => {
    const header = type.startsWith("text/") ? `"${type}; charset=utf-8"` : type;
    const [name = ""] = extensions;
    const paths = extensions.map((extension) => `*.${extension}`).join(" ");
    return `\t\t@${name} path ${paths}\n\t\theader @${name} Content-Type ${header}`;
  });
  return String.raw`# Serves a mirrorfeed site with Caddy. Save this file as /etc/caddy/mirrorfeed.caddy, replace the :80 { … } block in
# /etc/caddy/Caddyfile with "import mirrorfeed.caddy", then run
#   systemctl reload caddy
# No names are listed here: a system, project or target exists if its index.json does. If the path in site.url changes,
# generate this file again.
# For HTTPS, replace http://:${port} with the site's name, such as status.example.org, and remove bind.
http://:${port} {
	bind ${quoted(address)}
	root * ${quoted(root)}
	encode zstd gzip

	header Access-Control-Allow-Origin *
	header Cache-Control "${cacheControl}"

	# In a route, Caddy keeps the order of directives. The word after an error's matcher, such as method, names the file
	# to send.
	route {
		@method not method GET HEAD
		error @method method 405
${base === "" ? "" : stripBasePath(base)}
${networkRoute}		# The rest of the site, except names that begin with a dot. Folders answer with their index.json or index.html.
		@hidden path_regexp /\.
		error @hidden not-found 404
		# Redirect pages to the path with a slash, because their links are relative.
		@page {
			not file {path}/index.json
			file {path}/index.html
			vars_regexp last {http.request.orig_uri} ^[^?]*/([^/?]+)(\?.*)?$
		}
		redir @page ./{re.last.1}/{re.last.2} 301
		@folder file {path}/index.json {path}/index.html
		rewrite @folder {file_match.relative}
		@missing not file {path}
		error @missing not-found 404

${types.join("\n")}
		file_server {
			disable_canonical_uris
		}
	}

${errorHandler(base)}}
`;
}

const networkRoute = String.raw`		# The error names the first level (system, project or target) without a document. (?s) and \z allow for line feeds
		# in names. If a name is missing, the file path has a double slash, and so leads to the document of the last name.
		@network path_regexp feed (?s)^/${networkRoot}(?:/([^/]+)(?:/([^/]+)(?:/([^/]+)(?:/(.+?))?)?)?)?/?\z
		route @network {
			@system not file /${networkRoot}/{re.feed.1}/index.json
			error @system system 403
			@project not file /${networkRoot}/{re.feed.1}/{re.feed.2}/index.json
			error @project project 403
			@target not file /${networkRoot}/{re.feed.1}/{re.feed.2}/{re.feed.3}/index.json
			error @target target 403
			@status not file /${networkRoot}/{re.feed.1}/{re.feed.2}/{re.feed.3}/{re.feed.4}/index.json
			error @status status 400
		}

`;

function errorHandler(base: string): string {
  const start = base.replaceAll(".", "\\.");
  return String.raw`	handle_errors {
		# Errors are always sent whole, never as a 304 or a range.
		request_header -If-*
		request_header -Range
		header Content-Type application/json
		@method expression {err.status_code} == 405
		header @method Allow "GET, HEAD"
		# For a 404, browsers get a page and other clients get JSON.
		@missing expression {err.status_code} == 404
		header @missing +Vary Accept
		@page {
			expression {err.status_code} == 404
			header_regexp Accept (?i)text/html
			path_regexp ^${start}/(?:[^/]*/)*(?:[^./]*|[^/]*\.html)\z
			not path_regexp ^${start}/(?:v1|errors)(?:/|\z)
		}
		route {
			route @page {
				header Content-Type "text/html; charset=utf-8"
				rewrite * /${notFoundPage}
				file_server {
					disable_canonical_uris
				}
			}
			@known file /errors/{err.message}.json
			rewrite @known /errors/{err.message}.json
			@unknown not file /errors/{err.message}.json
			rewrite @unknown /errors/not-found.json
			file_server {
				disable_canonical_uris
			}
		}
	}
`;
}

function stripBasePath(base: string): string {
  return String.raw`
		@outside not path_regexp (?s)^${base.replaceAll(".", "\\.")}(?:/.*)?\z
		error @outside not-found 404
		uri strip_prefix ${base}
`;
}
