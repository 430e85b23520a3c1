import { isRecord } from "@pintle/ai";
import { type HostCapability, QUESTIONS, type QuestionRow } from "@pintle/wire";
import type { EndedQuestions } from "./ended-questions.ts";
import type { Audience, Capability, SessionFrame } from "./session-frame.ts";

/** An open question that several hosts may be able to answer. */
interface OpenQuestion {
  row: QuestionRow;
  frame: SessionFrame;
}

type Fields = Record<string, unknown>;

/** The kinds that any host with the capability may answer. Host tools are excluded: only their owner is called. */
const ROWS: readonly QuestionRow[] = Object.values(QUESTIONS).filter(
  (row: QuestionRow) => row.capability && row.request,
);

/** The kinds of questions, by the type of their request. */
const BY_REQUEST: ReadonlyMap<string, QuestionRow> = new Map(ROWS.map((row) => [String(row.request), row]));

/** Frames that follow a question and go to the hosts that received it. */
const FOLLOWERS: ReadonlyMap<string, HostCapability> = new Map(
  ROWS.flatMap(({ capability, cancel, resolved }) =>
    [cancel?.type, resolved].flatMap((type) => (type && capability ? [[type, capability] as const] : [])),
  ),
);

/** Frames that report the answer to a question, under its own id. */
const RESOLVED: ReadonlySet<string> = new Set(ROWS.flatMap(({ resolved }) => resolved ?? []));

/** The frames of a worker that open or end a question. */
export const QUESTION_TYPES: readonly string[] = [...new Set([...BY_REQUEST.keys(), ...FOLLOWERS.keys()])];
export const ANSWER_TYPES: ReadonlySet<string> = new Set(ROWS.flatMap(({ answer }) => answer ?? []));

/** Owns the open questions. The first answer wins. */
export class HostQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #ended: EndedQuestions;
  #cancels = 0;

  constructor(ended: EndedQuestions) {
    this.#ended = ended;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Returns the hosts that receive a frame, or undefined if it is not a question. Notices of extensions are not
   * questions.
   */
  audienceOf(type: string, { method }: Fields): Audience | undefined {
    if (type === "extension_ui_request" && method === "notify") return undefined;
    const capability = BY_REQUEST.get(type)?.capability ?? FOLLOWERS.get(type);
    return capability && { capability };
  }

  /** Called after a frame that opens or ends a question was emitted. */
  sent(frame: SessionFrame, fields: Fields): void {
    const { id, targetId } = fields;
    const row = BY_REQUEST.get(frame.type);
    const isQuestion = row && fields.method !== "cancel" && (row.methods?.includes(String(fields.method)) ?? true);
    if (isQuestion && typeof id === "string") this.#open.set(id, { row, frame });
    else if (typeof targetId === "string") this.#end(targetId);
    else if (RESOLVED.has(frame.type) && typeof id === "string") this.#end(id);
  }

  /**
   * Accepts a host's answer and returns the frame for the other hosts, if the worker does not send one. Returns undefined if the
   * question is no longer open or of another kind, or if the host was not asked.
   */
  take(
    type: string,
    id: unknown,
    { hostId, has }: { hostId: number; has(capability: Capability): boolean },
  ): { capability: Capability; cancel?: Fields } | undefined {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (open?.row.answer !== type) return undefined;
    const { capability, cancel, request, isExclusive } = open.row;
    if (!capability || !has(capability)) return undefined; // this host was not asked
    this.#open.delete(id as string);
    this.#ended.answered(id as string, hostId);
    this.#cancels += 1;
    if (!cancel || isExclusive) return { capability };
    const method = cancel.type === request ? { method: "cancel" } : {};
    const about = { id: `answered_${this.#cancels}`, ...method, targetId: id, reason: "answered" };
    return { capability, cancel: { type: cancel.type, ...about } };
  }

  /** Ends the questions that only the lost host could answer. Returns the default answers for the worker. */
  release(capabilities: readonly Capability[]): Fields[] {
    const lost = [...this.#open].filter(([, { row }]) => row.capability && capabilities.includes(row.capability));
    for (const [id] of lost) this.#end(id);
    return lost.map(([id, { row }]) => ({
      type: row.answer,
      id,
      error: "the host that provides it has disconnected",
    }));
  }

  /** Returns the questions that a host with these capabilities can answer, oldest first. */
  framesFor(isAble: (capability: Capability) => boolean): unknown[] {
    return [...this.#open.values()]
      .filter(({ row }) => row.capability && isAble(row.capability))
      .map(({ frame }) => withoutEnvelope(JSON.parse(frame.json)));
  }

  clear(): void {
    for (const id of [...this.#open.keys()]) this.#end(id);
  }

  #end(id: string): void {
    if (this.#open.delete(id)) this.#ended.ended(id);
  }
}

function withoutEnvelope(frame: unknown): unknown {
  if (!isRecord(frame)) return frame;
  const { sessionId: _route, seq: _seq, ...fields } = frame;
  return fields;
}
