import { type PendingWait, QUESTIONS, type QuestionFrame, type QuestionRow } from "@pintle/wire";
import type { PendingCalls } from "./pending-calls.ts";
import type { FrameKind, WaitEnd, WaitKind } from "./pending-wait.ts";

type TimeoutSetting = (typeof QUESTIONS)[WaitKind]["timeoutSetting"];

export interface AskHostParts {
  pending: PendingCalls;
  send(frame: QuestionFrame): void;
  settings: { get(key: TimeoutSetting): number };
  now?(): number;
}

export interface HostQuestion {
  /** The fields of the request after its type and id. */
  fields(times: { deadlineMs: number; expiresAt: number }): object;
  about: Pick<PendingWait, "method" | "title" | "toolName" | "toolCallId" | "label">;
  /** Each of them withdraws the question. */
  signals: readonly (AbortSignal | undefined)[];
  /** Instead of the time in the settings. */
  timeoutMs?: number | undefined;
  /** What happens without an answer, if the kind has no default. */
  default?: string;
  onUpdate?(update: unknown): void;
}

/** How a question ended, and its id if the host was asked. */
export type Asked = WaitEnd<FrameKind> & { id?: string };

/** Asks the host as the row of the kind in packages/wire says, and withdraws the question if it ends without an answer. */
export type AskHost = (kind: FrameKind, question: HostQuestion) => Promise<Asked>;

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
