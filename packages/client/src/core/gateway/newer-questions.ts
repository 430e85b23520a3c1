import type { Frame } from "../transport.ts";

/** Methods of `extension_ui_request` that expect an answer. */
const DIALOGS: ReadonlySet<unknown> = new Set(["select", "confirm", "input", "editor"]);
/** Questions that go to the session immediately, although a snapshot may have to wait. */
const REQUESTS: ReadonlySet<string> = new Set([
  ...["trust_request", "approval_request", "mcp_auth_request", "host_fs_request", "host_terminal_request"],
]);

/** Collects the questions that arrive or end while a snapshot waits to be delivered, because its `pending` is older. */
export class NewerQuestions {
  /** By id. Undefined if the question has ended. */
  readonly #changes = new Map<string, Frame | undefined>();

  received({ sessionId: _route, seq: _seq, ...frame }: Frame): void {
    const { type, id, targetId, method } = frame;
    const isQuestion = REQUESTS.has(type) || (type === "extension_ui_request" && DIALOGS.has(method));
    if (typeof targetId === "string") this.ended(targetId);
    else if (isQuestion) this.#changes.set(String(id), frame);
  }

  ended(id: unknown): void {
    this.#changes.set(String(id), undefined);
  }

  /** Returns what is pending now, given what was pending in the snapshot. */
  addTo(pending: readonly Frame[]): Frame[] {
    const unchanged = pending.filter(({ id }) => !this.#changes.has(String(id)));
    return [...unchanged, ...[...this.#changes.values()].filter((frame) => frame !== undefined)];
  }
}
