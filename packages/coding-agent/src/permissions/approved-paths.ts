/** The files that calls were allowed to touch, links followed: what a tool opens must be what was decided on. */
export class ApprovedPaths {
  readonly #byCall = new Map<string, ReadonlySet<string>>();

  allow(toolCallId: string, reals: readonly string[]): void {
    this.#byCall.set(toolCallId, new Set(reals));
  }

  /** Throws when a link was exchanged, or another name found, since the call was allowed. */
  require(toolCallId: string, real: string, shownPath: string): void {
    const allowed = this.#byCall.get(toolCallId);
    if (!allowed || allowed.has(real)) return;
    throw new Error(`${shownPath} leads to another file now than when the call was allowed; nothing was done.`);
  }

  clear(): void {
    this.#byCall.clear();
  }
}
