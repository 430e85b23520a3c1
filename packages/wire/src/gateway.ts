// What a gateway reads: its own commands and capabilities. Separate from the main entry, because a single engine needs
// none of it.
export { GATEWAY_CAPABILITIES } from "./capabilities.ts";
export {
  type GatewayCommandName,
  type GatewayParams,
  type GatewayResult,
  gatewayCommands,
} from "./commands/gateway.ts";
export type { GatewayEvent, GatewayEventOf } from "./events/gateway-events.ts";
export type { SessionEnvelope } from "./frames/envelope.ts";
export type { ServerReadyFrame } from "./frames/server-ready.ts";
