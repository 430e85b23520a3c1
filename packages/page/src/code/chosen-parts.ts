import type { FileChange, PreviewAnswer } from "@pintle/client/core";

export type Chosen = "all" | "some" | "none";

/** The parts of a staged change that the user wants applied: at first all of them. */
export class ChosenParts {
  readonly changes: readonly FileChange[];
  /** Hunks, and paths of files that have none, which are applied as a whole. */
  readonly #chosen: Set<string>;
  readonly #edits = new Map<string, string>();

  constructor(changes: readonly FileChange[]) {
    this.changes = changes;
    this.#chosen = new Set(changes.flatMap(partsOf));
  }

  /** Of the file's parts, or of all files'. */
  of(change?: FileChange): Chosen {
    const parts = (change ? [change] : this.changes).flatMap((one) => this.#partsOf(one));
    const count = parts.filter((part) => this.#chosen.has(part)).length;
    if (count === 0) return "none";
    return count === parts.length ? "all" : "some";
  }

  has(hunkId: string): boolean {
    return this.#chosen.has(hunkId);
  }

  set(hunkId: string, isChosen: boolean): void {
    if (isChosen) this.#chosen.add(hunkId);
    else this.#chosen.delete(hunkId);
  }

  /** Chooses all parts of the file, or of all files, or none of them. */
  setAll(isChosen: boolean, change?: FileChange): void {
    for (const one of change ? [change] : this.changes) {
      for (const part of [one.path, ...partsOf(one)]) this.set(part, isChosen);
    }
  }

  /** Replaces the proposed text of the file, which is then applied as a whole. Undefined returns to the proposal. */
  edit(change: FileChange, text: string | undefined): void {
    if (text === undefined) this.#edits.delete(change.path);
    else this.#edits.set(change.path, text);
    this.setAll(true, change);
  }

  editOf({ path }: FileChange): string | undefined {
    return this.#edits.get(path);
  }

  /** Says how many parts are applied: hunks, and files that are applied as a whole. */
  get counts(): { chosen: number; all: number } {
    const parts = this.changes.flatMap((change) => this.#partsOf(change));
    return { chosen: parts.filter((part) => this.#chosen.has(part)).length, all: parts.length };
  }

  /** Returns undefined if nothing is chosen: then the change is to be discarded. */
  get answer(): Exclude<PreviewAnswer, undefined> | undefined {
    const state = this.of();
    if (state === "none") return undefined;
    if (state === "all" && this.#edits.size === 0) return "apply";
    const files = this.changes.filter((change) => this.of(change) === "all" && this.editOf(change) === undefined);
    const hunks = this.changes.filter((change) => this.of(change) === "some").flatMap(partsOf);
    const edits = this.changes.flatMap((change) => {
      const content = this.editOf(change);
      return content === undefined || this.of(change) === "none" ? [] : [{ path: change.path, content }];
    });
    const chosen = hunks.filter((hunkId) => this.#chosen.has(hunkId));
    return {
      action: "apply",
      ...(files.length > 0 && { files: files.map(({ path }) => path) }),
      ...(chosen.length > 0 && { hunks: chosen }),
      ...(edits.length > 0 && { edits }),
    };
  }

  #partsOf(change: FileChange): string[] {
    return this.#edits.has(change.path) ? [change.path] : partsOf(change);
  }
}

function partsOf({ path, hunks = [] }: FileChange): string[] {
  return hunks.length === 0 ? [path] : hunks.map(({ hunkId }) => hunkId);
}

/** Whether a file has text that can be replaced. Its text may be too long to be shown as hunks. */
export function isEditable({ type, binary, status }: FileChange): boolean {
  return type === "file" && !binary && status !== "deleted";
}

/** What the file's line counts do not say: `new`, `renamed from a.ts`, `mode 644 → 755`. */
export function changeFacts({ status, oldPath, type, binary, oldMode, newMode, truncated }: FileChange): string[] {
  const octal = (mode: number) => mode.toString(8);
  return [
    ...(status === "added" ? ["new"] : []),
    ...(status === "deleted" ? ["deleted"] : []),
    ...(oldPath === undefined ? [] : [`renamed from ${oldPath}`]),
    ...(type === "symlink" ? ["link"] : []),
    ...(binary ? ["binary"] : []),
    ...(oldMode === undefined || newMode === undefined ? [] : [`mode ${octal(oldMode)} → ${octal(newMode)}`]),
    ...(truncated ? ["too much to show by hunk"] : []),
  ];
}

/** Returns a hunk as text of a unified diff. */
export function hunkDiff({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join("\n")}`;
}
type Hunk = NonNullable<FileChange["hunks"]>[number];

/** The lines of the new file that a hunk has added, or the line at which it has removed some: `lines 12 to 15`. */
export function hunkPlace({ newStart, newLines, lines }: Hunk): string {
  const context = lines.findIndex((line) => !line.startsWith(" "));
  const first = newStart + (newLines === 0 ? 1 : 0) + context;
  const added = lines.filter((line) => line.startsWith("+")).length;
  return added > 1 ? `lines ${first} to ${first + added - 1}` : `line ${first}`;
}

export function hunkCounts({ lines }: Hunk): { added: number; removed: number } {
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count("+"), removed: count("-") };
}
