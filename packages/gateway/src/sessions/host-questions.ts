import { isRecord } from "@pintle/ai";
import type { EndedQuestions } from "./ended-questions.ts";
import type { Audience, Capability, SessionFrame } from "./session-frame.ts";

/** A question that one of the hosts may answer. */
interface OpenQuestion {
  capability: Capability;
  frame: SessionFrame;
}

type Fields = Record<string, unknown>;

const DIALOGS: ReadonlySet<unknown> = new Set(["select", "confirm", "input", "editor"]);

/** The questions of a worker: the capability that a host needs to be asked, and the frame that reports an answer to the other hosts. */
const QUESTIONS: Readonly<
  Record<string, { capability: Capability; answer: string; cancel?: (id: string, targetId: string) => Fields }>
> = {
  extension_ui_request: {
    capability: "ui",
    answer: "extension_ui_response",
    cancel: (id, targetId) => ({ type: "extension_ui_request", id, method: "cancel", targetId, reason: "answered" }),
  },
  approval_request: {
    capability: "approvals",
    answer: "approval_response",
    cancel: (id, targetId) => ({ type: "approval_cancel", id, targetId, reason: "answered" }),
  },
  mcp_auth_request: {
    capability: "mcpAuth",
    answer: "mcp_auth_response",
    cancel: (id, targetId) => ({ type: "mcp_auth_cancel", id, targetId, reason: "answered" }),
  },
  // The worker itself reports the answer to all hosts, with `trust_resolved`.
  trust_request: { capability: "trust", answer: "trust_response" },
  // Only the one host that has the files or the terminal receives these.
  host_fs_request: { capability: "fs", answer: "host_fs_result" },
  host_terminal_request: { capability: "terminal", answer: "host_terminal_result" },
};

/** Frames that follow a question go where it went. */
const FOLLOWERS: Readonly<Record<string, Capability>> = {
  approval_cancel: "approvals",
  mcp_auth_cancel: "mcpAuth",
  trust_resolved: "trust",
};

export const ANSWER_TYPES: ReadonlySet<string> = new Set(Object.values(QUESTIONS).map(({ answer }) => answer));

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

  /** Returns which hosts receive a frame, or undefined if it is not a question. A notice of an extension is not one. */
  audienceOf(type: string, { method }: Fields): Audience | undefined {
    if (type === "extension_ui_request" && method === "notify") return undefined;
    const capability = QUESTIONS[type]?.capability ?? FOLLOWERS[type];
    return capability && { capability };
  }

  /** Called after a frame was emitted, which opens a question or ends one. */
  sent(frame: SessionFrame, fields: Fields): void {
    const { id, targetId } = fields;
    const question = QUESTIONS[frame.type];
    const isDialog = frame.type !== "extension_ui_request" || DIALOGS.has(fields.method);
    const isQuestion = question && isDialog && fields.method !== "cancel";
    if (isQuestion && typeof id === "string") this.#open.set(id, { capability: question.capability, frame });
    else if (typeof targetId === "string") this.#end(targetId);
    else if (frame.type === "trust_resolved" && typeof id === "string") this.#end(id);
  }

  /**
   * Takes an answer of a host and returns the frame for the other hosts, where the worker does not send one. Returns undefined if the
   * question is not open any more, is of another kind, or the host was not asked.
   */
  take(
    type: string,
    id: unknown,
    { hostId, has }: { hostId: number; has(capability: Capability): boolean },
  ): { capability: Capability; cancel?: Fields } | undefined {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    const question = open && QUESTIONS[open.frame.type];
    if (!open || !question || question.answer !== type) return undefined;
    if (!has(open.capability)) return undefined; // this host was not asked
    this.#open.delete(id as string);
    this.#ended.answered(id as string, hostId);
    this.#cancels += 1;
    const cancel = question.cancel?.(`answered_${this.#cancels}`, id as string);
    return { capability: question.capability, ...(cancel && { cancel }) };
  }

  /** Ends the questions that only a lost host could answer. Returns the default answers for the worker. */
  release(capabilities: readonly Capability[]): Fields[] {
    const lost = [...this.#open].filter(([, { capability }]) => capabilities.includes(capability));
    for (const [id] of lost) this.#end(id);
    return lost.map(([id, { frame }]) => ({
      type: QUESTIONS[frame.type]!.answer,
      id,
      error: "the host that has it has disconnected",
    }));
  }

  /** Returns the questions that a host with these capabilities can answer, oldest first. */
  framesFor(isAble: (capability: Capability) => boolean): unknown[] {
    return [...this.#open.values()]
      .filter(({ capability }) => isAble(capability))
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
