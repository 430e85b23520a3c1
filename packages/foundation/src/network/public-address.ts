import { BlockList } from "node:net";
import { networkInterfaces } from "node:os";
import { readHost } from "./network-host.ts";

/** Addresses that belong to no host on the public internet: private and local networks, and cloud metadata services. */
const NOT_PUBLIC = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  NOT_PUBLIC.addSubnet(net, prefix, "ipv4");
}
/** Public IPv6 addresses are in 2000::/3, except those that carry an IPv4 address: Teredo and 6to4. */
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet("2000::", 3, "ipv6");
for (const [net, prefix] of [
  ["2001::", 32],
  ["2002::", 16],
] as const) {
  NOT_PUBLIC.addSubnet(net, prefix, "ipv6");
}

/** Returns whether an address is on the public internet. Returns false for anything that is not an address. */
export function isPublicAddress(address: string): boolean {
  const host = readHost(address);
  if (host?.kind !== "address") return false;
  if (!host.text.includes(":")) return !NOT_PUBLIC.check(host.text, "ipv4");
  return GLOBAL_IPV6.check(host.text, "ipv6") && !NOT_PUBLIC.check(host.text, "ipv6");
}

/**
 * Returns whether this machine has the address, even a public one: its services may trust connections from the machine itself.
 */
export function isOwnAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return own.some((item) => readHost(item.address.replace(/%.*$/, ""))?.text === address);
}
