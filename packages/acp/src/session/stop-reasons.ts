import type { StopReason } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { Frame } from "../gateway-link.ts";
import { CODES, RpcError } from "../rpc/rpc-error.ts";
import { ENDED_BY } from "../updates/notices.ts";
import type { TurnEnd } from "./turns.ts";

const STOPS: Readonly<Record<string, StopReason | undefined>> = {
  stop: "end_turn",
  length: "max_tokens",
  aborted: "cancelled",
};

/** For this limit, the engine sends only a message. */
const TURN_LIMIT = /^Stopped after \d+ turns$/;

/** How a prompt ended: its `prompt_result`, and the `agent_end` of its run. */
export function turnEnd(result: Frame, runEnd: Frame | undefined): TurnEnd {
  if (result.status === "error") return failure(isRecord(result.error) ? result.error : {});
  if (result.agentInvoked !== true) return { stop: result.status === "aborted" ? "cancelled" : "end_turn" };
  if (ENDED_BY[String(runEnd?.endedBy)] !== undefined) return { stop: "end_turn" };
  return { stop: STOPS[String(runEnd?.stopReason)] ?? "end_turn" };
}

function failure({ message, ...facts }: Record<string, unknown>): TurnEnd {
  const text = typeof message === "string" ? message : "The model failed";
  return TURN_LIMIT.test(text) ? { stop: "max_turn_requests" } : { error: new RpcError(CODES.internal, text, facts) };
}
