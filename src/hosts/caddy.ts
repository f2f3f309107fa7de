import { cacheControl, networkRoot } from "./contract.ts";
import { InputError } from "../errors.ts";
import { hasInvisible, quote } from "../text/quote.ts";
import { serverDelivery } from "./delivery.ts";
import { type Host, type ServerInput, wholeContract } from "./host.ts";

/** Caddy 2.6 or later: a site block of a Caddyfile, which looks at the disk. */
export const caddy: Host<"caddy"> = {
  name: "caddy",
  title: "Caddy",
  capabilities: wholeContract,
  delivery: serverDelivery,
  publishing: [
    "Build into a folder that Caddy may read: `mirrorfeed run --out /srv/site`.",
    "`mirrorfeed host caddy --root /srv/site --listen 0.0.0.0:80 > /etc/caddy/mirrorfeed.caddy`",
    "`echo 'import mirrorfeed.caddy' > /etc/caddy/Caddyfile && systemctl reload caddy` replaces the example site.",
    "To keep a Caddyfile of your own, add the `import` line to it instead. Caddy serves each later build at once.",
    "For HTTPS, replace `http://:80` by the name of the site and remove `bind`: Caddy gets the certificate itself.",
  ],
  siteFiles: () => [],
  serverFiles: (input) => [{ path: "mirrorfeed.caddy", content: caddyfile(input) }],
};

function caddyfile({ basePath: base, listen: { address, port }, root }: ServerInput): string {
  const folder = `/${networkRoot}`;
  return String.raw`# The site of mirrorfeed for Caddy. Save it as /etc/caddy/mirrorfeed.caddy, write "import mirrorfeed.caddy" into
# /etc/caddy/Caddyfile, in place of its :80 { … }, then
#   systemctl reload caddy
# It lists no names: whether one is known shows in whether its index.json is there, so it is the same for every feed.
# For HTTPS, write the name of the site, such as status.example.org, in place of http://:${port}, and take out bind.
http://:${port} {
	bind ${quoted(address)}
	root * ${quoted(root)}
	encode zstd gzip

	header Access-Control-Allow-Origin *
	header Cache-Control "${cacheControl}"

	# A route keeps the order in which it is written. The message of an error is the name of its document.
	route {
		@method not method GET HEAD
		error @method method 405
${base === "" ? "" : mount(base)}
		# The levels from the left: the first without its document decides. (?s) and \z, since a name may be sent with a
		# line feed in it; an empty part only doubles a slash.
		@network path_regexp feed (?s)^${folder}(?:/([^/]+)(?:/([^/]+)(?:/([^/]+)(?:/(.+?))?)?)?)?/?\z
		route @network {
			@system not file ${folder}/{re.feed.1}/index.json
			error @system system 403
			@project not file ${folder}/{re.feed.1}/{re.feed.2}/index.json
			error @project project 403
			@target not file ${folder}/{re.feed.1}/{re.feed.2}/{re.feed.3}/index.json
			error @target target 403
			@status not file ${folder}/{re.feed.1}/{re.feed.2}/{re.feed.3}/{re.feed.4}/index.json
			error @status status 400
		}

		# The rest of the site but what begins with a dot: a folder stands for the document or the page in it.
		@hidden path_regexp /\.
		error @hidden not-found 404
		# A page is redirected to the form with its slash, which its relative links need.
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

		@atom path *.atom
		header @atom Content-Type application/atom+xml
		@css path *.css
		header @css Content-Type "text/css; charset=utf-8"
		@html path *.html
		header @html Content-Type "text/html; charset=utf-8"
		@javascript path *.js
		header @javascript Content-Type "text/javascript; charset=utf-8"
		@json path *.json
		header @json Content-Type application/json
		@svg path *.svg
		header @svg Content-Type image/svg+xml
		@text path *.txt
		header @text Content-Type "text/plain; charset=utf-8"
		@xml path *.xml
		header @xml Content-Type "text/xml; charset=utf-8"
		file_server {
			disable_canonical_uris
		}
	}

	handle_errors {
		# An error is whole, whatever the client knows or wants of it.
		request_header -If-*
		request_header -Range
		header Content-Type application/json
		@method expression {err.status_code} == 405
		header @method Allow "GET, HEAD"
		route {
			@ours file /errors/{err.message}.json
			rewrite @ours /errors/{err.message}.json
			@other not file /errors/{err.message}.json
			rewrite @other /errors/not-found.json
			file_server {
				disable_canonical_uris
			}
		}
	}
}
`;
}

/** What leads from the base path to the root of the site. */
function mount(base: string): string {
  return String.raw`
		@outside not path_regexp (?s)^${base.replaceAll(".", "\\.")}(?:/.*)?\z
		error @outside not-found 404
		uri strip_prefix ${base}
`;
}

/** A text in Caddy's double quotes; it reads placeholders in them, and patterns in the root of a site. */
function quoted(text: string): string {
  if (!/["\\{}*?[\]]/.test(text) && !hasInvisible(text)) return `"${text}"`;
  throw new InputError(
    `${quote(text)} cannot be written for Caddy; choose one without quotes, backslashes and any of { } * ? [ ].`,
  );
}
