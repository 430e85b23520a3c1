import { readHost } from "@pintle/foundation";
import { BadRequest } from "./socket-bytes.ts";

/** How the length of a request's body is determined. */
export type Framing = { kind: "length"; bytes: number } | { kind: "chunked" };

export interface RequestHead {
  method: string;
  host: string;
  port: number;
  /** The host and port as the client wrote them. */
  authority: string;
  /** Undefined for CONNECT. */
  path?: string;
  version: string;
  headers: readonly (readonly [name: string, value: string])[];
  framing: Framing;
}

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}) ([\x21-\x7e]+) (HTTP\/1\.[01])$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/;
const ABSOLUTE = /^http:\/\/([^/?#@]+)([/?][^#]*)?$/i;
const AUTHORITY = /^(\[[^\]]*\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const HTTP_PORT = 80;

/** Headers that are meant for this proxy, or that it sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "te",
  "trailer",
  "upgrade",
  "proxy-authorization",
  "host",
  "content-length",
  "transfer-encoding",
]);

/**
 * Reads the head of a request to a proxy. It is strict, because requests are smuggled where two programs parse the same bytes
 * differently: bare line ends, folded lines and two lengths are refused. Throws BadRequest.
 */
export function readRequestHead(bytes: Buffer): RequestHead {
  const [first = "", ...lines] = bytes.toString("latin1").slice(0, -4).split("\r\n");
  const [, method, target, version] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined || version === undefined) {
    throw new BadRequest(400, "this is not a request to an HTTP proxy");
  }
  const headers = lines.map((line): [string, string] => {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new BadRequest(400, "a header is malformed");
    return [name, value];
  });
  const head = { method, version, headers, framing: framingOf(headers) };
  if (method === "CONNECT") return { ...head, ...readAuthority(target, undefined) };
  const [, authority, path = "/"] = ABSOLUTE.exec(target) ?? [];
  if (authority === undefined) {
    throw new BadRequest(400, "a request to this proxy is CONNECT, or names an address that begins with http://");
  }
  return { ...head, ...readAuthority(authority, HTTP_PORT), path: path.startsWith("?") ? `/${path}` : path };
}

function readAuthority(authority: string, defaultPort: number | undefined) {
  const [, host, digits] = AUTHORITY.exec(authority) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port === undefined || port < 1 || port > 65_535 || !readHost(host)) {
    throw new BadRequest(400, "the address of the request has no valid host and port");
  }
  return { host, port, authority };
}

function framingOf(headers: RequestHead["headers"]): Framing {
  const lengths = valuesOf(headers, "content-length");
  const codings = valuesOf(headers, "transfer-encoding");
  if (lengths.length + codings.length > 1) throw new BadRequest(400, "the length of the body is given twice");
  const [length] = lengths;
  const [coding] = codings;
  if (coding !== undefined) {
    if (coding.toLowerCase() === "chunked") return { kind: "chunked" };
    throw new BadRequest(501, "the only transfer coding of a request is chunked");
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new BadRequest(400, "Content-Length is not a number");
  return { kind: "length", bytes: Number(length ?? 0) };
}

function valuesOf(headers: RequestHead["headers"], wanted: string): string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

/**
 * Returns the head to send to the server. `Host` is the host that was checked, whatever the client sent, and the connection ends
 * with the response, so another request needs another connection and another check.
 */
export function forwardedHead({ method, path, version, authority, headers, framing }: RequestHead): string {
  const named = valuesOf(headers, "connection").flatMap((value) => value.split(","));
  const dropped = new Set(named.map((name) => name.trim().toLowerCase()));
  const kept = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()));
  const hasLength = valuesOf(headers, "content-length").length > 0;
  const length = hasLength && framing.kind === "length" ? [["Content-Length", String(framing.bytes)]] : [];
  const body = framing.kind === "chunked" ? [["Transfer-Encoding", "chunked"]] : length;
  const all = [["Host", authority], ...kept, ...body, ["Connection", "close"]];
  return `${method} ${path} ${version}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}
