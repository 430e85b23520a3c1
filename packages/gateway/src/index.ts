export type { Host, HostPort, Hosts, OutgoingFrame } from "./host.ts";
