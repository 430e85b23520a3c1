import { errorText } from "@pintle/ai";
import { CommandError } from "@pintle/gateway";
import { type ConflictKind, type FileChange, ON_CONFLICT, type RewindResult } from "@pintle/wire";
import { visible } from "../updates/visible-text.ts";
import { type FileUndo, type Rewind, UnsavedError } from "./file-undo.ts";

interface EditorCommand {
  description: string;
  hint: string;
  /** Resolves with what the user reads, in Markdown. */
  run(undo: FileUndo, rest: string, signal: AbortSignal): Promise<string>;
}

const SPANS: Readonly<Record<string, string>> = { turn: "last turn", run: "last run", session: "session" };
const MAX_FILES = 50;
const MAX_DIFF_LINES = 400;

const CONFLICTS: Readonly<Record<ConflictKind, string>> = {
  foreign_edit: "edited since by you or another program",
  foreign_delete: "deleted since by you or another program",
  foreign_create: "created since by you or another program",
  uncertain: "another program may also have changed it",
  not_stored: "its earlier content was not stored",
  unsafe_path: "its directory is now a link to another place",
};
/** These conflicts can only be skipped. */
const ONLY_SKIPPED: ReadonlySet<ConflictKind> = new Set(["not_stored", "unsafe_path"]);
const CHOICES: Readonly<Record<string, string>> = {
  skip: "leaves these files as they are and changes the others",
  merge: "keeps the other edits where they do not overlap",
  keep_both: "keeps the current content as a copy",
};
const WARNINGS: Readonly<Record<string, string>> = {
  git_head_moved: "HEAD has moved since. Files change back, but branches and commits stay.",
  background_processes: "Commands in the background are running and may change the files again.",
};

/** Slash commands for editors, in addition to the session's. They replace session commands of the same name. */
export const EDITOR_COMMANDS: Readonly<Record<string, EditorCommand>> = {
  diff: {
    description: "Show file changes",
    hint: "[turn|run|session]",
    run: (undo, rest) => showChanges(undo, rest || "run"),
  },
  undo: {
    description: "Undo the file changes of the last run, or of the last n runs",
    hint: "[n] [skip|merge|keep_both]",
    async run(undo, rest, signal) {
      const words = /^([1-9]\d{0,3})?(?:(?:^|\s+)([a-z_]+))?$/.exec(rest);
      const [, count, choice] = words ?? [];
      if (!words || !isChoice(choice))
        return "Use `/undo`, or `/undo N` with the number of runs to undo, such as `/undo 3`.";
      if (count === undefined) return rewind(undo, { type: "rewind_files", typed: "/undo", choice, signal });
      const checkpoints = await undo.checkpoints(Number(count));
      const oldest = checkpoints[Number(count) - 1];
      if (!oldest) return `Cannot undo ${count} runs: runs of this session that changed files: ${checkpoints.length}.`;
      const to = oldest.checkpointId;
      return rewind(undo, { type: "rewind_files", typed: `/undo ${count}`, to, choice, signal });
    },
  },
  redo: {
    description: "Restore what /undo removed",
    hint: "[skip|merge|keep_both]",
    async run(undo, rest, signal) {
      const choice = rest || undefined;
      if (!isChoice(choice)) return "Use `/redo`, or name how to handle conflicts, such as `/redo skip`.";
      return rewind(undo, { type: "redo_files", typed: "/redo", choice, signal });
    },
  },
};

/** Returns the command that a message calls, or undefined if the message is for the session. */
export function editorCommandIn(message: string): { command: EditorCommand; rest: string } | undefined {
  const [, name = "", rest = ""] = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(message.trimEnd()) ?? [];
  return Object.hasOwn(EDITOR_COMMANDS, name) ? { command: EDITOR_COMMANDS[name]!, rest } : undefined;
}

async function showChanges(undo: FileUndo, span: string): Promise<string> {
  if (!Object.hasOwn(SPANS, span)) return "Use `/diff turn`, `/diff run` or `/diff session`.";
  const { files, warnings, coverage } = await undo.changes(span);
  const note = coverage === "workspace" ? "" : " Changes made by commands are not tracked here.";
  if (files.length === 0) return `The ${SPANS[span]} changed no files.${note}`;
  const rows = files.map(({ path, oldPath, status, binary, added, removed, conflict }) => {
    const counts = binary ? "binary" : `+${added} −${removed}`;
    const from = oldPath === undefined ? "" : ` from ${code(oldPath)}`;
    return `${code(path)} ${status}${from}, ${counts}${conflict === undefined ? "" : `, ${CONFLICTS[conflict]}`}`;
  });
  return blocks(
    `The ${SPANS[span]} changed ${fileCount(files)}.${note}`,
    listOf(rows),
    diffOf(files),
    ...warningTexts(warnings),
  );
}

interface Asked {
  type: Rewind;
  /** The command as the user typed it, without a choice. */
  typed: string;
  to?: string;
  choice: string | undefined;
  signal: AbortSignal;
}

async function rewind(undo: FileUndo, asked: Asked): Promise<string> {
  const { type, to, choice, signal } = asked;
  const fields = { ...(to !== undefined && { to }), ...(choice !== undefined && { onConflict: choice }) };
  try {
    return doneText(await undo.rewind(type, fields, signal), type);
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== "conflict" || error instanceof UnsavedError) throw error;
    const { conflicts } = await undo.rewind(type, { ...fields, dryRun: true }, signal);
    return conflicts.length === 0 ? errorText(error) : conflictText(conflicts, asked); // a file changed meanwhile
  }
}

function doneText({ files, conflicts, kept = [], warnings }: RewindResult, type: Rewind): string {
  const verb = type === "redo_files" ? "Redid" : "Undid";
  return blocks(
    files.length === 0 ? "No file was changed." : `${verb} the changes in ${fileCount(files)}:`,
    listOf(files.map(({ path }) => code(path))),
    conflicts.length > 0 && "Left as they are:",
    listOf(conflicts.map(({ path, kind }) => `${code(path)}: ${CONFLICTS[kind]}`)),
    kept.length > 0 && "The other content is in:",
    listOf(kept.map(({ copy }) => code(copy))),
    ...warningTexts(warnings),
  );
}

function conflictText(conflicts: RewindResult["conflicts"], { typed, choice }: Asked): string {
  const isSkippedOnly = conflicts.some(({ kind }) => ONLY_SKIPPED.has(kind));
  const open = Object.entries(CHOICES).filter(([word]) => word !== choice && (word === "skip" || !isSkippedOnly));
  return blocks(
    "No file was changed, because of conflicts:",
    listOf(conflicts.map(({ path, kind }) => `${code(path)}: ${CONFLICTS[kind]}`)),
    "Choose:",
    listOf(open.map(([word, effect]) => `\`${typed} ${word}\` ${effect}`)),
  );
}

/** Excludes `refuse`, which is the default. */
function isChoice(word: string | undefined): boolean {
  return word === undefined || (word !== "refuse" && ON_CONFLICT.some((one) => one === word));
}

/** Returns a fenced diff. The fence is longer than any in the text. */
function diffOf(files: readonly FileChange[]): string {
  const lines = files.flatMap(({ path, hunks = [] }) => [
    ...(hunks.length === 0 ? [] : [`+++ b/${oneLine(path)}`]),
    ...hunks.flatMap((hunk) => [
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
      ...hunk.lines.map(visible),
    ]),
  ]);
  if (lines.length === 0) return "";
  const body = lines.slice(0, MAX_DIFF_LINES).join("\n");
  const fence = "`".repeat(Math.max(2, longestRun(body)) + 1);
  const more = lines.length - MAX_DIFF_LINES;
  return `${fence}diff\n${body}\n${fence}${more > 0 ? `\n\n… ${more} more lines` : ""}`;
}

function listOf(rows: readonly string[]): string {
  const more = rows.length - MAX_FILES;
  return [...rows.slice(0, MAX_FILES).map((row) => `- ${row}`), ...(more > 0 ? [`- … and ${more} more`] : [])].join(
    "\n",
  );
}

function blocks(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== "").join("\n\n");
}

/** Returns a name as a code span of Markdown. */
function code(name: string): string {
  const text = oneLine(name);
  const ticks = "`".repeat(longestRun(text) + 1);
  const pad = /^`|`$/.test(text) ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

const warningTexts = (warnings: readonly string[]) => warnings.map((warning) => WARNINGS[warning] ?? warning);
const fileCount = ({ length }: readonly unknown[]) => (length === 1 ? "1 file" : `${length} files`);
const oneLine = (text: string) => visible(text).replaceAll("\n", "\\n");
const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
