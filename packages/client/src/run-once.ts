import { type OnceOptions, onceWith } from "./core/once.ts";
import type { PreviewAnswer } from "./core/question-handlers.ts";
import type { ApprovalAnswer } from "./protocol.ts";
import { RpcClient, type RpcClientOptions } from "./rpc-client.ts";

/** Options of the program to start, of the client and of the prompt. */
export type RunOnceOptions<
  S = unknown,
  A extends ApprovalAnswer = ApprovalAnswer,
  P extends PreviewAnswer = PreviewAnswer,
> = OnceOptions<RpcClientOptions, S, A, P>;

export const { run, query } = onceWith((options: RpcClientOptions) => new RpcClient(options));
