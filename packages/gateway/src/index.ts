export type { Host, HostPort, Hosts, OutgoingFrame, ServeLimits } from "./host.ts";
