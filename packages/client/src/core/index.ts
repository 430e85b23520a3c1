export type * from "../protocol.ts";
export { Conversation } from "./conversation.ts";
export { RpcClosedError, RpcCommandError, RpcListenerError, RpcProtocolError, RpcTimeoutError } from "./errors.ts";
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
export type { HostTool, HostToolContext, HostToolOutput } from "./host-tools.ts";
export { MessageRebuilder } from "./message-rebuilder.ts";
export type {
  ApprovalAnswer,
  ApprovalHandler,
  BudgetAnswer,
  BudgetHandler,
  FileAnswer,
  FileHandler,
  LoginHandler,
  PreviewAnswer,
  PreviewHandler,
  QuestionContext,
  TerminalAnswer,
  TerminalHandler,
  TrustAnswer,
  TrustHandler,
  UiAnswer,
  UiHandler,
} from "./question-handlers.ts";
export { type CoreOptions, RpcCore, type StartOptions } from "./rpc-core.ts";
export type { Run, RunOptions, RunResult } from "./run.ts";
export type { Transport } from "./transport.ts";
