/** A host in the form used for comparison: a name in lower-case ASCII, or an address in canonical form. */
export interface NetworkHost {
  kind: "name" | "address";
  text: string;
}

const MAX_NAME = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The C library parses a name with such an ending as an IPv4 address: `127.1`, `0x7f000001`, `2130706433`. */
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/;
const DECIMAL_BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${DECIMAL_BYTE}(?:\\.${DECIMAL_BYTE}){3}$`);
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * Reads a host as a client names it, an IPv6 address with or without brackets. Returns undefined for anything else,
 * including address notations that only some programs understand.
 */
export function readHost(text: string): NetworkHost | undefined {
  const isBracketed = text.startsWith("[") && text.endsWith("]");
  if (isBracketed || text.includes(":")) return readIpv6(isBracketed ? text.slice(1, -1) : text);
  if (IPV4.test(text)) return { kind: "address", text };
  const name = text.toLowerCase().replace(/\.$/, "");
  const labels = name.split(".");
  const isName = name.length <= MAX_NAME && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1)!);
  return isName ? { kind: "name", text: name } : undefined;
}

/** Returns `host` or `host:port` for messages, with brackets where the port needs them. */
export function showHost(host: string, port?: number): string {
  if (port === undefined) return host;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function readIpv6(text: string): NetworkHost | undefined {
  // A zone (`%eth0`) selects an interface, and commands must not choose one of ours.
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return { kind: "address", text: canonical };
  const number = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return { kind: "address", text: [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".") };
}
