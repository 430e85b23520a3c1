import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { RpcClosedError } from "../core/errors.ts";

export interface Proxy {
  url: URL;
  /** The environment variable that names it. */
  variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy that the environment names for an `http` or `https` address, or undefined if the connection is direct.
 * Servers on this machine are never reached through a proxy.
 */
export function proxyFor(address: URL, env: Environment = process.env): Proxy | undefined {
  const host = hostOf(address);
  if (isLoopback(host) || isExcluded(host, portOf(address), env.no_proxy ?? env.NO_PROXY ?? "")) return undefined;
  const name = address.protocol === "https:" ? "https_proxy" : "http_proxy";
  const variable = [name, name.toUpperCase(), "all_proxy", "ALL_PROXY"].find((candidate) => env[candidate]);
  const text = variable && env[variable];
  if (!text) return undefined;
  const full = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return { url, variable };
  throw new RpcClosedError(
    `${variable} is not the address of an HTTP proxy, such as http://host:port. Correct it, or add ${host} to NO_PROXY`,
  );
}

/** Opens a connection to the address through the proxy, with TLS if the address needs it. */
export async function openTunnel({ url, variable }: Proxy, address: URL, signal: AbortSignal): Promise<Duplex> {
  const target = `${address.hostname}:${portOf(address)}`;
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)({
    signal,
    method: "CONNECT",
    host: hostOf(url),
    port: portOf(url),
    path: target,
    headers: { host: target, ...credentialsOf(url) },
  });
  const socket = await connected(request, `The proxy ${url.host} (${variable})`, target);
  if (address.protocol !== "https:") return socket;
  const host = hostOf(address);
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }) });
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

const ADVICE: Readonly<Record<number, string>> = {
  407: "Add user and password to its address (http://user:…@host:port)",
};
const OTHER_ADVICE = "Allow the connection there, or add the host to NO_PROXY to connect directly";

function connected(request: ClientRequest, named: string, target: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    request.on("error", (error) => {
      reject(new RpcClosedError(`${named} cannot be reached: ${error.message}`, { cause: error }));
    });
    request.on("connect", ({ statusCode = 0, statusMessage = "" }: IncomingMessage, socket: Duplex) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      const status = `${statusCode} ${statusMessage}`.trim();
      const advice = ADVICE[statusCode] ?? OTHER_ADVICE;
      reject(new RpcClosedError(`${named} refused a connection to ${target} (${status}). ${advice}`));
    });
    request.end();
  });
}

/** `NO_PROXY` lists hosts, with or without a port, each of which includes its subdomains. `*` stands for every host. */
function isExcluded(host: string, port: number, list: string): boolean {
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    // An IPv6 address has colons of its own, so its port follows a bracket.
    const [, name = "", only] = /^\[?([^\]]*?)\]?(?:(?<=^[^:]*|\]):(\d+))?$/.exec(entry) ?? [];
    if (name === "" || (only !== undefined && Number(only) !== port)) return false;
    const domain = name.replace(/^\*?\./, "");
    return name === "*" || host === domain || host.endsWith(`.${domain}`);
  });
}

function isLoopback(host: string): boolean {
  return /^(.+\.)?localhost$|^127\.[\d.]+$|^::1$/.test(host);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").toLowerCase();
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}
