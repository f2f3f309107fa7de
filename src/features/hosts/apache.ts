import { cacheControl, errorPath, networkRoot, pagePattern } from "../../core/contract/contract.ts";
import { type Host, mediaTypes, serverDelivery, wholeContract } from "./host.ts";

/**
 * Apache 2.4 with mod_rewrite: a `.htaccess` in the site, which needs only `AllowOverride FileInfo`. Apache itself
 * answers some requests before it reads the `.htaccess`: TRACE (405 or an echo), path segments over 255 bytes (403),
 * `%2F` (404) and malformed encoding (400), all in HTML. Paths without a final slash never get a 304: only an
 * ErrorDocument prevents mod_dir's redirect, and Apache always sends an ErrorDocument whole. CORS, Cache-Control and
 * Allow need mod_headers, and compression needs mod_deflate.
 */
export const apache: Host<"apache"> = {
  name: "apache",
  title: "Apache",
  capabilities: wholeContract,
  delivery: serverDelivery,
  siteFiles: ({ basePath }) => [{ path: ".htaccess", content: htaccess(basePath) }],
};

function htaccess(base: string): string {
  const types = mediaTypes.map((names) => `AddType ${names.join(" .")}`);
  const texts = mediaTypes.filter(([type]) => type.startsWith("text/"));
  return String.raw`# Serves a mirrorfeed site with Apache 2.4. No names are listed here: a system, project or target exists if its
# index.json does. AllowOverride FileInfo is enough, because this file sets no Options.
${types.join("\n")}
AddCharset utf-8 ${texts.flatMap(([, ...extensions]) => extensions.map((one) => `.${one}`)).join(" ")}

# Apache would send error text as HTML, so each error is a file. The rules below choose the file, but errors that
# Apache itself detects get the file for 404.
ErrorDocument 404 ${base}/${errorPath("not-found")}
<IfModule mod_setenvif.c>
    SetEnvIf Request_URI ^ MIRRORFEED_ERROR=not-found MIRRORFEED_MISSING=json
    ErrorDocument 404 ${base}/errors/not-found.%{reqenv:MIRRORFEED_MISSING}
</IfModule>
ErrorDocument 301 ${base}/%{reqenv:MIRRORFEED_FOLDER}/
ErrorDocument 400 ${base}/errors/%{reqenv:MIRRORFEED_ERROR}.json
ErrorDocument 403 ${base}/errors/%{reqenv:MIRRORFEED_ERROR}.json
ErrorDocument 405 ${base}/${errorPath("method")}

<IfModule mod_deflate.c>
<IfModule mod_filter.c>
    AddOutputFilterByType DEFLATE application/atom+xml application/json application/manifest+json image/svg+xml text/calendar text/css text/html text/javascript text/plain text/xml
</IfModule>
</IfModule>

# Unset first, because a header that the server already sets would be sent twice.
<IfModule mod_headers.c>
    Header onsuccess unset Access-Control-Allow-Origin
    Header onsuccess unset Cache-Control
    Header always set Access-Control-Allow-Origin "*"
    Header always set Cache-Control "${cacheControl}"
    Header always set Allow "GET, HEAD" "expr=%{REQUEST_STATUS} == 405"
    Header always merge Vary "Accept" "expr=%{REQUEST_STATUS} == 404"
    # Apache adds -gzip to the ETag of a compressed answer, but does not recognize it in a request.
    RequestHeader edit If-None-Match "-gzip\"" "\""
    # Redirects are relative, so that they work behind an HTTPS proxy. Apache can edit this header only because
    # ErrorDocument gives the 301 a body: the page itself.
    Header onsuccess edit Location "^[^?]*/([^/?]+/(?:\?.*)?)$" "./$1"
</IfModule>

${rewriteRules(base)}`;
}

function rewriteRules(base: string): string {
  const unknown = ["system", "project", "target"].map((level, above) => {
    const names = Array<string>(above + 1).fill("[^/]+");
    return `RewriteCond %{ENV:MIRRORFEED_ROOT}${networkRoot}/$1/index.json !-f
RewriteRule (?s)^${networkRoot}/(${names.join("/")})(?:/.*)?\\z - [E=MIRRORFEED_ERROR:${level},R=403,L]`;
  });
  return String.raw`RewriteEngine On
RewriteBase ${base}/

RewriteCond %{REQUEST_METHOD} !^(?:GET|HEAD)$
RewriteRule ^ - [R=405,L]

# For a 404, browsers get a page and other clients get JSON.
RewriteCond %{HTTP:Accept} text/html [NC,NV]
RewriteRule (?s)^${pagePattern} - [E=MIRRORFEED_MISSING:html]

# Find this file's folder: the path on disk minus the path in the site.
RewriteCond %{REQUEST_FILENAME}%{PATH_INFO}|$0 (?s)^(.*?)(${networkRoot}/.*)\|\2\z
RewriteRule (?s)^${networkRoot}/.*\z - [E=MIRRORFEED_ROOT:%1]

# The error names the first level (system, project or target) without a document. (?s) and \z allow for line feeds in names.
${unknown.join("\n")}
RewriteCond %{ENV:MIRRORFEED_ROOT}${networkRoot}/$1/index.json !-f
RewriteRule (?s)^${networkRoot}/([^/]+/[^/]+/[^/]+/.+?)/?\z - [E=MIRRORFEED_ERROR:status,R=400,L]

# Redirect pages to the path with a slash, because their links are relative.
RewriteCond %{REQUEST_FILENAME}/index.json !-f
RewriteCond %{REQUEST_FILENAME}/index.html -f
RewriteRule (?s)^(.*[^/])\z %{REQUEST_URI}/ [E=MIRRORFEED_FOLDER:$1,R=301,L]

# Add the slash to a document's path inside the server: otherwise mod_dir would redirect the client, and turning that
# off with DirectorySlash needs more than FileInfo.
ErrorDocument 200 ${base}/%{reqenv:MIRRORFEED_FOLDER}/
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule (?s)^(.*[^/])\z - [E=MIRRORFEED_FOLDER:$1,R=200,L]

# The rest of the site, except names that begin with a dot. Folders answer with their index.json or index.html.
RewriteRule (?:^|/)\. - [R=404,L]
RewriteCond %{REQUEST_FILENAME}/index.json -f
RewriteRule ^ %{REQUEST_URI}/index.json [END]
RewriteCond %{REQUEST_FILENAME}/index.html -f
RewriteRule ^ %{REQUEST_URI}/index.html [END]
RewriteCond %{REQUEST_FILENAME} -d
RewriteRule ^ - [R=404,L]
`;
}
