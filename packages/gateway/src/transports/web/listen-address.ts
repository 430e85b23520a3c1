import { ServeError } from "../../serve-error.ts";
import { isLoopbackName } from "./site-rules.ts";

const LOOPBACK = "127.0.0.1";

export interface ListenAddress {
  hostname: string;
  /** 0 means any free port. */
  port: number;
}

/** Parses `HOST:PORT`, `HOST`, `PORT` or `[ADDRESS]:PORT`. The defaults are 127.0.0.1 and any free port. */
export function parseListenAddress(text: string): ListenAddress {
  const found = /^(?<host>\[[^\]]+\]|[^:]*[^:\d][^:]*|\d+(?:\.\d+)+)?(?::?(?<port>\d+))?$/.exec(text);
  const { host, port = "0" } = found?.groups ?? {};
  if (!found || text === "" || Number(port) > 65_535)
    throw new ServeError(`--listen takes HOST:PORT, for example ${LOOPBACK}:8080, not "${text}"`);
  return { hostname: host?.replace(/^\[|\]$/g, "") ?? LOOPBACK, port: Number(port) };
}

export function isLoopback({ hostname }: ListenAddress): boolean {
  return isLoopbackName(hostname.includes(":") ? `[${hostname}]` : hostname.toLowerCase());
}

/** Whether the address means all addresses of the machine, so that other machines cannot connect to it. */
export function isEveryAddress({ hostname }: ListenAddress): boolean {
  return hostname === "0.0.0.0" || hostname === "::";
}
