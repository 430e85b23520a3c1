export * from "./core/index.ts";
export { GatewayClient, type GatewayClientOptions } from "./gateway-client.ts";
export { FLAG_OPTION_NAMES, type FlagOptions, flagArgs } from "./process/flag-options.ts";
export type { LaunchOptions } from "./process/launch.ts";
export type { ExitStatus } from "./process/server-process.ts";
export { RpcClient, type RpcClientOptions } from "./rpc-client.ts";
export { query, type RunOnceOptions, run } from "./run-once.ts";
