import { fileFingerprint } from "@pintle/foundation";

interface Approval {
  reals: ReadonlySet<string>;
  /** State of the files when the user approved a change, by real path. */
  shown: ReadonlyMap<string, string>;
}

/** The files that calls may touch, with links resolved. A tool must open exactly the file that was approved. */
export class ApprovedPaths {
  readonly #byCall = new Map<string, Approval>();
  /** State of files after changes by the file tools of this run. */
  readonly #written = new Map<string, string>();

  allow(toolCallId: string, reals: readonly string[], shown: ReadonlyMap<string, string> = new Map()): void {
    this.#byCall.set(toolCallId, { reals: new Set(reals), shown });
  }

  /** Throws if a link was replaced, or the path resolves differently, since the call was allowed. */
  require(toolCallId: string, real: string, shownPath: string): void {
    const approval = this.#byCall.get(toolCallId);
    if (!approval || approval.reals.has(real)) return;
    throw new Error(`${shownPath} leads to another file now than when the call was allowed; nothing was done.`);
  }

  /** Throws if the file has changed since the user saw the diff. Call it right before the change. */
  requireUnchanged(toolCallId: string, real: string, shownPath: string): void {
    const shown = this.#byCall.get(toolCallId)?.shown.get(real);
    if (shown === undefined || shown === fileFingerprint(real)) return;
    throw new Error(`${shownPath} has changed since the call was allowed; nothing was done.`);
  }

  /** Records a change by a tool, so that the next call on the file asks again instead of failing. */
  noteWritten(real: string): void {
    this.#written.set(real, fileFingerprint(real));
  }

  isOwnWork(real: string): boolean {
    return this.#written.get(real) === fileFingerprint(real);
  }

  /** Whether a search by this tool must omit a file (real path). Omits nothing where no permissions apply. */
  hides: (tool: string, real: string) => boolean = () => false;

  /** Whether a search by this tool through a directory (real path) may omit files. */
  mayHideBelow: (tool: string, real: string) => boolean = () => false;

  clear(): void {
    this.#byCall.clear();
    this.#written.clear();
  }
}
