/** A document that the build has compressed. */
export interface LivePage {
  brotli: Uint8Array<ArrayBuffer>;
  gzip: Uint8Array<ArrayBuffer>;
  etag: string;
  /** The content security policy of the page. */
  policy: string;
  /** Scripts and data that the page loads on demand, by path (`view/NAME.js`), compressed with gzip. */
  files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

/** The first parts of the paths of `files`. */
export const PAGE_FOLDERS: ReadonlySet<string> = new Set(["grammar", "view"]);

/**
 * Returns the response for a file of the page, or undefined if there is no such file. Like the page, its files need no
 * token.
 */
export function pageFileAnswer({ files, etag }: LivePage, path: string, request: Headers): Response | undefined {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) return undefined;
  const headers = new Headers({
    "content-type": path.endsWith(".js") ? "text/javascript; charset=utf-8" : "application/json",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-cache",
    etag,
    vary: "accept-encoding",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
  if (request.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  if (!acceptedEncodings(request.get("accept-encoding") ?? "").has("gzip"))
    return new Response(Bun.gunzipSync(file), { headers });
  headers.set("content-encoding", "gzip");
  return new Response(file, { headers });
}

/**
 * Returns the response with the page. It is the same for everyone and contains no session data, so it needs no token
 * and may be cached.
 */
export function pageAnswer({ brotli, gzip, etag, policy }: LivePage, request: Headers): Response {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-cache",
    etag,
    vary: "accept-encoding",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
  });
  if (request.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const accepted = acceptedEncodings(request.get("accept-encoding") ?? "");
  if (accepted.has("br")) headers.set("content-encoding", "br");
  else if (accepted.has("gzip")) headers.set("content-encoding", "gzip");
  else return new Response(Bun.gunzipSync(gzip), { headers });
  return new Response(accepted.has("br") ? brotli : gzip, { headers });
}

/** Returns the encodings of the header, without those that it forbids with `q=0`. */
function acceptedEncodings(header: string): Set<string> {
  const offers = header
    .toLowerCase()
    .split(",")
    .map((offer) => offer.trim().split(/\s*;\s*q=/));
  return new Set(offers.filter(([, weight]) => weight === undefined || Number(weight) > 0).map(([name = ""]) => name));
}
