import { QUESTIONS, type QuestionFrame, type QuestionRow } from "@pintle/wire";
import type { AskHost } from "../../../session/host-question.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { WaitKind } from "./pending-wait.ts";

type TimeoutSetting = (typeof QUESTIONS)[WaitKind]["timeoutSetting"];

export interface AskHostParts {
  pending: PendingCalls;
  send(frame: QuestionFrame): void;
  settings: { get(key: TimeoutSetting): number };
  now?(): number;
}

export function createAskHost({ pending, send, settings, now = Date.now }: AskHostParts): AskHost {
  return async (kind, { fields, about, signals, timeoutMs, onUpdate, ...question }) => {
    const row: QuestionRow = QUESTIONS[kind];
    const deadlineMs = timeoutMs ?? settings.get(QUESTIONS[kind].timeoutSetting);
    const byDefault = question.default ?? row.default ?? "";
    const wait = pending.open({ kind, deadlineMs, default: byDefault, about, signals, ...(onUpdate && { onUpdate }) });
    if (!wait.isAsked) return wait.ended;
    const { id } = wait;
    send({ type: row.request, id, ...fields({ deadlineMs, expiresAt: now() + deadlineMs }) } as QuestionFrame);
    const end = await wait.ended;
    if (row.cancel && (end.by === "abort" || end.by === "timeout")) {
      const { type, idPrefix, reasons } = row.cancel;
      const method = type === row.request ? { method: "cancel" } : {};
      const reason = reasons ? { reason: reasons[end.by] } : {};
      send({ type, id: pending.nextId(idPrefix), ...method, targetId: id, ...reason } as QuestionFrame);
    }
    return { ...end, id };
  };
}
