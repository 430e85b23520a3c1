export * from "./core/index.ts";
export { GatewayClient, type GatewayClientOptions } from "./gateway-client.ts";
export type { LaunchOptions } from "./process/launch.ts";
export type { ExitStatus } from "./process/server-process.ts";
export { RpcClient, type RpcClientOptions } from "./rpc-client.ts";
