import { type FileChange, RpcCommandError, type RpcCore } from "@pintle/client";
import { changeFacts, hunkDiff } from "@pintle/page/chosen-parts";
import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import type { ChoiceItem } from "../questions/choice.ts";
import { showInPager } from "../screen/pager.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { DiffRows } from "../tools/diff-rows.ts";

type RewindResult = Awaited<ReturnType<RpcCore["rewindFiles"]>>;
type OnConflict = "skip" | "merge" | "keep_both";
type Rewind = (options: { dryRun?: boolean; onConflict?: OnConflict }) => Promise<RewindResult>;

const SPANS: Readonly<Record<string, string>> = { turn: "last turn", run: "last run", session: "session" };
const MAX_FILES = 8;
const MAX_DIFF_ROWS = 16;
const PAGER_WIDTH = 1_000;
/** More than any prompt that fits into a line. */
const MAX_PROMPT = 200;

/** The first one is preselected. */
const CANCEL: ChoiceItem = { value: "cancel", label: "cancel" };
const VIEW: ChoiceItem = { value: "view", label: "view everything", key: "v" };
const CLOSE: ChoiceItem = { value: "close", label: "close" };

/** Why a file cannot simply be put back. */
const CONFLICTS: Readonly<Record<string, string>> = {
  foreign_edit: "edited since by you or another program",
  foreign_delete: "deleted since by you or another program",
  foreign_create: "created since by you or another program",
  uncertain: "another program may also have changed it",
  not_stored: "its earlier content was not stored",
  unsafe_path: "its directory is now a link to another place",
};
/** Conflicts for which there is only one choice. */
const HOPELESS: ReadonlySet<string> = new Set(["not_stored", "unsafe_path"]);

const WARNINGS: Readonly<Record<string, string>> = {
  git_head_moved: "HEAD has moved since. Files change back, but branches and commits stay.",
  background_processes: "Commands in the background are running and may change the files again.",
};

/** Shows what the session changed in files, takes it back, and brings it back again. */
export const undo: Feature = (app) => {
  app.commands.add({
    name: "diff",
    description: "show file changes",
    hint: "[turn|run|session]",
    run: (rest) => showChanges(app, rest || "run"),
  });
  app.commands.add({
    name: "undo",
    description: "undo the file changes of the last run, or of the last n runs",
    hint: "[n]",
    run: (rest) => undoRuns(app, rest),
  });
  app.commands.add({
    name: "redo",
    description: "restore what /undo removed",
    run: () => decide(app, "redo", (options) => sessionOf(app).redoFiles(options)),
  });
  app.onSession((session) => {
    session.on("files_rewound", ({ redo, files, skipped }) => {
      const done = `${redo ? "Redid" : "Undid"} the changes in ${fileCount(files.length)}: ${namesOf(files)}.`;
      app.say(skipped.length === 0 ? done : `${done} Left as they are: ${namesOf(skipped)}.`);
    });
  });
};

/** Asks whether files go back to their state before a message, and does it. Resolves with false if the user has cancelled. */
export function rewindTo(app: App, entryId: string): Promise<boolean> {
  return decide(app, "undo", (options) => sessionOf(app).rewindFiles({ ...options, to: entryId }));
}

/** Resolves with true if files would change by going back to their state before a message. */
export async function changesSince(session: RpcCore, entryId: string): Promise<boolean> {
  try {
    const { files, conflicts } = await session.rewindFiles({ to: entryId, dryRun: true });
    return files.length + conflicts.length > 0;
  } catch (error) {
    if (error instanceof RpcCommandError) return false; // no files were changed, or undo is off or unknown
    throw error;
  }
}

function sessionOf({ session }: App): RpcCore {
  if (!session) throw new Error("The session is not ready.");
  return session;
}

async function showChanges(app: App, span: string): Promise<void> {
  if (!Object.hasOwn(SPANS, span)) return app.say("Use /diff turn, /diff run or /diff session.", "warning");
  const { files, warnings, coverage } = await sessionOf(app).getChanges({ since: span });
  const note = coverage === "workspace" ? "" : " Changes made by commands are not tracked here.";
  if (files.length === 0) return app.say(`The ${SPANS[span]} changed no files.${note}`);
  const { theme } = app;
  const diff = new DiffRows(diffOf(files), theme);
  const heading = theme.bold(`The ${SPANS[span]} changed ${fileCount(files.length)}${note}`);
  const title = (width: number) => {
    const { rows, hidden } = diff.short(width, Math.max(4, Math.min(MAX_DIFF_ROWS, app.rows - files.length - 12)));
    return [
      truncated(heading, width),
      ...fileRows(app, files, (file) => changeFacts(file)).map((row) => truncated(row, width)),
      ...warningRows(app, warnings, width),
      ...rows,
      ...(hidden === 0 ? [] : [theme.warning(`… ${hidden} more lines: v shows everything`)]),
    ];
  };
  const staysOpen = (value: string) => {
    const lines = () => [heading, ...fileRows(app, files, changeFacts, files.length), "", ...diff.all(PAGER_WIDTH)];
    if (value === VIEW.value) app.lend(() => showInPager(lines(), app.options.env)).catch((error) => app.report(error));
    return value === VIEW.value;
  };
  await choose(app, { title, items: [CLOSE, VIEW], staysOpen, isOpenedByUser: true });
}

/** Text of a unified diff. */
function diffOf(files: readonly FileChange[]): string {
  return files
    .flatMap(({ path, hunks = [] }) => (hunks.length === 0 ? [] : [`+++ b/${path}`, ...hunks.map(hunkDiff)]))
    .join("\n");
}

async function undoRuns(app: App, rest: string): Promise<void> {
  if (rest === "") {
    await decide(app, "undo", (options) => sessionOf(app).rewindFiles(options));
    return;
  }
  const count = /^[1-9]\d{0,3}$/.test(rest) ? Number(rest) : undefined;
  if (count === undefined)
    return app.say("Use /undo, or /undo N with the number of runs to undo, such as /undo 3.", "warning");
  const { checkpoints } = await sessionOf(app).getCheckpoints({ limit: count });
  const oldest = checkpoints[count - 1];
  if (!oldest)
    return app.say(
      `Cannot undo ${count} runs: runs of this session that changed files: ${checkpoints.length}.`,
      "warning",
    );
  const of = app.theme.dim(
    ` · back to before "${shownText(oldest.prompt.slice(0, MAX_PROMPT)).replaceAll("\n", " ")}"`,
  );
  await decide(app, "undo", (options) => sessionOf(app).rewindFiles({ ...options, to: oldest.checkpointId }), of);
}

/** Shows what would change and does it if the user agrees. Resolves with false if nothing was done. */
async function decide(app: App, what: "undo" | "redo", rewind: Rewind, note = ""): Promise<boolean> {
  const { theme } = app;
  for (;;) {
    const plan = await rewind({ dryRun: true });
    const { files, conflicts, warnings } = plan;
    const heading =
      theme.bold(`${what === "undo" ? "Undo" : "Redo"} the changes in ${fileCount(files.length)}?`) + note;
    const title = (width: number) => [
      truncated(heading, width),
      ...fileRows(app, files, () => []).map((row) => truncated(row, width)),
      ...conflictRows(app, conflicts, width),
      ...warningRows(app, warnings, width),
    ];
    const value = await choose(app, { title, items: [CANCEL, ...answers(what, plan)], isOpenedByUser: true });
    if (value === undefined || value === CANCEL.value) return false;
    try {
      const { kept = [] } = await rewind(value === "go" ? {} : { onConflict: value as OnConflict });
      for (const { path, copy } of kept) app.say(`${shownText(path)}: the other content is in ${shownText(copy)}.`);
      return true;
    } catch (error) {
      // For example, a file was edited while the question was open. The plan is made again.
      if (!(error instanceof RpcCommandError) || error.code !== "conflict") throw error;
      app.say(error.message, "warning");
    }
  }
}

function answers(what: string, { canRewind, files, conflicts }: RewindResult): ChoiceItem[] {
  if (canRewind) return [{ value: "go", label: what, key: "y" }];
  const others = files.some(({ path }) => !conflicts.some((conflict) => conflict.path === path));
  const canKeep = !conflicts.some(({ kind }) => HOPELESS.has(kind));
  return [
    ...(canKeep
      ? [{ value: "merge", label: `${what}, and keep the other edits where they do not overlap`, key: "m" }]
      : []),
    ...(canKeep ? [{ value: "keep_both", label: `${what}, and keep the other content as a copy`, key: "k" }] : []),
    ...(others ? [{ value: "skip", label: `${what} only in the other files`, key: "s" }] : []),
  ];
}

function fileRows<F extends Pick<FileChange, "path" | "status" | "added" | "removed" | "binary">>(
  { theme }: App,
  files: readonly F[],
  factsOf: (file: F) => readonly string[],
  max = MAX_FILES,
): string[] {
  const rows = files.slice(0, max).map((file) => {
    const counts = file.binary ? "binary" : `+${file.added} −${file.removed}`;
    const facts = factsOf(file).filter((fact) => fact !== "binary");
    return `  ${shownText(file.path)}${theme.dim(`  ${[...facts, counts].join(", ")}`)}`;
  });
  const more = files.length - max;
  return more > 0 ? [...rows, theme.dim(`  … and ${more} more`)] : rows;
}

function conflictRows({ theme }: App, conflicts: RewindResult["conflicts"], width: number): string[] {
  const rows = conflicts.slice(0, MAX_FILES).map(({ path, kind }) => {
    return truncated(theme.warning(`  ${shownText(path)}: ${CONFLICTS[kind] ?? kind}`), width);
  });
  const more = conflicts.length - MAX_FILES;
  return more > 0 ? [...rows, theme.warning(`  … and ${more} more`)] : rows;
}

function warningRows({ theme }: App, warnings: readonly string[], width: number): string[] {
  return warnings.map((warning) => truncated(theme.warning(WARNINGS[warning] ?? warning), width));
}

const fileCount = (count: number) => (count === 1 ? "1 file" : `${count} files`);

function namesOf(files: readonly { path: string }[]): string {
  const names = files.slice(0, MAX_FILES).map(({ path }) => shownText(path));
  return files.length > MAX_FILES ? `${names.join(", ")} and ${files.length - MAX_FILES} more` : names.join(", ");
}
