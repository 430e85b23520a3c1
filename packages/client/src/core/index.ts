export type * from "../protocol.ts";
export { Conversation } from "./conversation.ts";
export {
  RpcClosedError,
  RpcCommandError,
  RpcConflictError,
  RpcListenerError,
  RpcProtocolError,
  RpcTimeoutError,
} from "./errors.ts";
export type { ReconnectOptions } from "./gateway/back-off.ts";
export {
  type AttachOptions,
  GatewayCore,
  type GatewayOptions,
  type GatewayState,
  type OpenOptions,
  type WaitForJobOptions,
} from "./gateway/gateway-core.ts";
export { GatewaySession } from "./gateway/gateway-session.ts";
export { type Connect, type GatewayTransport, RpcRefusedError } from "./gateway/gateway-transport.ts";
export { type WebSocketLike, type WebSocketOptions, webSocket } from "./gateway/web-socket.ts";
export { type HostTool, type HostToolContext, type HostToolOutput, toDefinition } from "./host-tools.ts";
export { LocalHost, type LocalHostParts } from "./local-host.ts";
export { type LocalPrompt, type LocalSession, localPrompt } from "./local-prompt.ts";
export { MessageRebuilder } from "./message-rebuilder.ts";
export { type Once, type OnceOptions, onceWith, type StartableClient } from "./once.ts";
export { type OptionNames, refuseUnknownOptions } from "./option-names.ts";
export type { Query } from "./query.ts";
export type { BudgetAnswer, BudgetHandler, Handler, PreviewAnswer, PreviewHandler } from "./question-handlers.ts";
export { CORE_OPTION_NAMES, type CoreOptions, RpcCore, type StartOptions } from "./rpc-core.ts";
export type { OutputOf, Run, RunOptions } from "./run.ts";
export type {
  CompletedRun,
  RunEnd,
  RunResult,
  UnfinishedRun,
} from "./run-result.ts";
export type { Infer, InferArguments, StandardSchema } from "./schemas/infer.ts";
export { toJsonSchema } from "./schemas/schema-value.ts";
export {
  type BudgetOptions,
  checkBudget,
  HANDLER_METHODS,
  type HandlerOptions,
  type SessionOptions,
} from "./session-options.ts";
export { type ToolOptions, tool } from "./tool.ts";
export type { Transport } from "./transport.ts";
