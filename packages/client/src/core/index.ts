export type * from "../protocol.ts";
export { RpcClosedError, RpcCommandError, RpcListenerError, RpcProtocolError, RpcTimeoutError } from "./errors.ts";
export type { HostTool, HostToolContext, HostToolOutput } from "./host-tools.ts";
export { MessageRebuilder } from "./message-rebuilder.ts";
export type {
  ApprovalAnswer,
  ApprovalHandler,
  PreviewAnswer,
  PreviewHandler,
  QuestionContext,
  TrustAnswer,
  TrustHandler,
  UiAnswer,
  UiHandler,
} from "./questions.ts";
export { type CoreOptions, RpcCore, type StartOptions } from "./rpc-core.ts";
export type { Run, RunOptions, RunResult } from "./run.ts";
export type { Transport } from "./transport.ts";
