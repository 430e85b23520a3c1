export * from "./core/index.ts";
export type { LaunchOptions } from "./process/launch.ts";
export type { ExitStatus } from "./process/server-process.ts";
export { RpcClient, type RpcClientOptions } from "./rpc-client.ts";
