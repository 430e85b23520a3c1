import { isRecord } from "@pintle/ai";
import { isExclusive } from "./declared-capabilities.ts";
import type { Audience, Capability, SessionFrame } from "./session-frame.ts";

/** A question that waits for one of the hosts. */
export interface OpenQuestion {
  capability: Capability;
  frame: SessionFrame;
}

type Fields = Record<string, unknown>;

const DIALOGS: ReadonlySet<unknown> = new Set(["select", "confirm", "input", "editor"]);

/** The questions of a worker: what a host must have declared to be asked, and how the others hear that one has answered. */
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
  // The worker itself tells all of them, with `trust_resolved`.
  trust_request: { capability: "trust", answer: "trust_response" },
  // Only the one host that has the files or the terminal hears of these.
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

/** Who is asked, and whose answer counts: the first. */
export class HostQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  #cancels = 0;

  get size(): number {
    return this.#open.size;
  }

  /** Which hosts a frame of the worker is for; undefined when it is no question. A notice of an extension is none. */
  audienceOf(type: string, { method }: Fields): Audience | undefined {
    if (type === "extension_ui_request" && method === "notify") return undefined;
    const capability = QUESTIONS[type]?.capability ?? FOLLOWERS[type];
    return capability && { capability };
  }

  /** The frame has left: it opens a question, or ends one. */
  sent(frame: SessionFrame, fields: Fields): void {
    const { id, targetId } = fields;
    const question = QUESTIONS[frame.type];
    const isDialog = frame.type !== "extension_ui_request" || DIALOGS.has(fields.method);
    const isQuestion = question && isDialog && fields.method !== "cancel";
    if (isQuestion && typeof id === "string") this.#open.set(id, { capability: question.capability, frame });
    else if (typeof targetId === "string") this.#open.delete(targetId);
    else if (frame.type === "trust_resolved" && typeof id === "string") this.#open.delete(id);
  }

  /**
   * Takes an answer of a host and returns the frame for the other hosts, where the worker does not send one. Returns undefined if the
   * question is not open any more, is of another kind, or the host was not asked.
   */
  take(
    type: string,
    id: unknown,
    has: (capability: Capability) => boolean,
  ): { capability: Capability; cancel?: Fields } | undefined {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    const question = open && QUESTIONS[open.frame.type];
    if (!open || !question || question.answer !== type) return undefined;
    if (!has(open.capability)) return undefined; // this host was not asked
    this.#open.delete(id as string);
    this.#cancels += 1;
    const cancel = question.cancel?.(`answered_${this.#cancels}`, id as string);
    return { capability: question.capability, ...(cancel && { cancel }) };
  }

  /** Questions that a host with these abilities could answer, oldest first. */
  openFor(isAble: (capability: Capability) => boolean): OpenQuestion[] {
    return [...this.#open.values()].filter(({ capability }) => isAble(capability));
  }

  /** The host that alone could answer these is gone: what the worker is told in its place. */
  release(capabilities: readonly Capability[]): Fields[] {
    const lost = [...this.#open].filter(([, { capability }]) => capabilities.includes(capability));
    for (const [id] of lost) this.#open.delete(id);
    return lost.map(([id, { frame }]) => ({
      type: QUESTIONS[frame.type]!.answer,
      id,
      error: "the host that has it has disconnected",
    }));
  }

  /** As the worker asked them; without what only one host is asked. */
  frames(): unknown[] {
    return [...this.#open.values()]
      .filter(({ capability }) => !isExclusive(capability))
      .map(({ frame }) => withoutEnvelope(JSON.parse(frame.json)));
  }

  clear(): void {
    this.#open.clear();
  }
}

function withoutEnvelope(frame: unknown): unknown {
  if (!isRecord(frame)) return frame;
  const { sessionId: _route, seq: _seq, ...fields } = frame;
  return fields;
}
