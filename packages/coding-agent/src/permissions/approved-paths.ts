import { fileFingerprint } from "../files/file-fingerprint.ts";

interface Approval {
  reals: ReadonlySet<string>;
  /** What the files were when the user decided on a change of them, by their real paths. */
  shown: ReadonlyMap<string, string>;
}

/** The files that calls were allowed to touch, links followed: what a tool opens must be what was decided on. */
export class ApprovedPaths {
  readonly #byCall = new Map<string, Approval>();
  /** What the file tools of this run have made of files. */
  readonly #written = new Map<string, string>();

  allow(toolCallId: string, reals: readonly string[], shown: ReadonlyMap<string, string> = new Map()): void {
    this.#byCall.set(toolCallId, { reals: new Set(reals), shown });
  }

  /** Throws when a link was exchanged, or another name found, since the call was allowed. */
  require(toolCallId: string, real: string, shownPath: string): void {
    const approval = this.#byCall.get(toolCallId);
    if (!approval || approval.reals.has(real)) return;
    throw new Error(`${shownPath} leads to another file now than when the call was allowed; nothing was done.`);
  }

  /** Throws when the file is no longer what the user saw the change of. Call it right before the change. */
  requireUnchanged(toolCallId: string, real: string, shownPath: string): void {
    const shown = this.#byCall.get(toolCallId)?.shown.get(real);
    if (shown === undefined || shown === fileFingerprint(real)) return;
    throw new Error(`${shownPath} has changed since the call was allowed; nothing was done.`);
  }

  /** A tool has changed the file: another call on it is asked about again instead of denied. */
  noteWritten(real: string): void {
    this.#written.set(real, fileFingerprint(real));
  }

  isOwnWork(real: string): boolean {
    return this.#written.get(real) === fileFingerprint(real);
  }

  /** Whether a search by this tool must leave out a file, by its real path. Nothing is left out where no gate decides. */
  hides: (tool: string, real: string) => boolean = () => false;

  clear(): void {
    this.#byCall.clear();
    this.#written.clear();
  }
}
