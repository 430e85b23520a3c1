import type { FileChange } from "@pintle/wire";
import { describeChange } from "./describe-change.ts";
import { encodeText, type FileState, textOf } from "./file-state.ts";
import { withHunks } from "./select-hunks.ts";

/** The old and the new text of a file. Undefined if the file does not exist before, or after. */
export interface ComparedFile {
  path: string;
  before?: string | undefined;
  after?: string | undefined;
}

/** Parts of a change, in the form that `applyHunks` receives. */
interface Selection {
  files: readonly string[];
  hunks: readonly string[];
  edits: readonly { path: string; content: string }[];
}

export interface ComparedFiles {
  /** The value that a preview passes as `changes`. */
  changes: FileChange[];
  /** Returns the files that the selection changes, each with its resulting text; undefined if the file is deleted. */
  select(selection: Selection): { path: string; content: string | undefined }[];
  /** The function that a preview passes as `proposedText`. */
  proposedText(path: string): Promise<string>;
}

/** Compares versions of files, so that a tool can stage changes that hosts apply by hunk. */
export function compareFiles(files: readonly ComparedFile[], source: string): ComparedFiles {
  const pairs = files.map(({ path, before, after }) => ({ path, before: toState(before), after: toState(after) }));
  const changes = pairs.flatMap((pair) => describeChange({ ...pair, sources: [source] }) ?? []);
  const changed = pairs.filter(({ path }) => changes.some((change) => change.path === path));
  return {
    changes,
    select({ files: whole, hunks, edits }) {
      const texts = new Map(edits.map(({ path, content }) => [path, content]));
      const chosen = new Set(hunks);
      return changed.flatMap((pair) => {
        const { path, before, after } = pair;
        if (texts.has(path)) return [{ path, content: texts.get(path) }];
        const state = whole.includes(path) ? after : withHunks(pair, chosen);
        return state === before ? [] : [{ path, content: state && textOf(state) }];
      });
    },
    async proposedText(path) {
      const after = changed.find((pair) => pair.path === path)?.after;
      return (after && textOf(after)) ?? "";
    },
  };
}

function toState(text: string | undefined): FileState | undefined {
  return text === undefined ? undefined : { type: "file", mode: 0o644, bytes: encodeText(text) };
}
