export type { HostSettings, SettingsPlace } from "./commands/host-settings.ts";
export { createGateway, type Gateway, type GatewayOptions } from "./gateway.ts";
export type { Host, HostPort, Hosts, OutgoingFrame } from "./host.ts";
export { type NodeListen, type RunningServer, type ServedGateway, type ServeOptions, serve } from "./serve.ts";
export { ServeError } from "./serve-error.ts";
export type { StdioStreams } from "./transports/stdio-pipe.ts";
export type { LivePage } from "./transports/web/live-page.ts";
