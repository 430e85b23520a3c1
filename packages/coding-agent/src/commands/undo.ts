import { ON_CONFLICT, type RewindResult } from "@pintle/wire";
import type { OnConflict } from "../checkpoints/rewind/plan-rewind.ts";
import { changeDirectory } from "../cli/change-directory.ts";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { SessionUndo } from "../session/undo/session-undo.ts";
import { openStoredUndo } from "../session/undo/stored-undo.ts";
import type { CallOf } from "./subcommand-flags.ts";
import { checkpointTable, refusalText, resultText } from "./undo/undo-text.ts";

type Flags = CallOf<"undo">["flags"];
type Rewind = (choice: { dryRun?: boolean; onConflict: OnConflict }) => Promise<RewindResult>;

/** Flags that an action would ignore. */
const SENSELESS = {
  list: ["redo", "to", "files", "on-conflict", "dry-run"],
  redo: ["to", "files"],
} as const satisfies Partial<Record<keyof Flags, readonly (keyof Flags)[]>>;

/** Runs `pintle undo`. Returns 1 if nothing was done. */
export async function run({ flags, words, env }: Pick<CallOf<"undo">, "flags" | "words" | "env">): Promise<number> {
  if (words.length > 0) throw new UsageError("pintle undo takes no arguments; --files names files");
  for (const action of ["list", "redo"] as const) {
    const other = SENSELESS[action].find((flag) => flags[flag] !== undefined);
    if (flags[action] && other !== undefined) throw new UsageError(`--${action} does not go with --${other}`);
  }
  const onConflict = readChoice(flags["on-conflict"]);
  const files = readFiles(flags.files);
  changeDirectory(flags.cwd);
  const place = { cwd: process.cwd(), env, sessionDir: flags["session-dir"], report: complain };
  // Closed on return, so the work is awaited.
  using stored = await openStoredUndo(place, flags.session);
  const { undo, sessionId } = stored;
  if (flags.list) return await list(undo, sessionId, flags);
  const { to } = flags;
  const rewind: Rewind = (choice) =>
    flags.redo
      ? undo.redo(choice)
      : undo.rewind({ ...choice, ...(to !== undefined && { to }), ...(files && { files }) });
  return await decide(rewind, onConflict, flags);
}

async function list(undo: SessionUndo, sessionId: string, { json }: Flags): Promise<number> {
  const { checkpoints } = await undo.checkpoints();
  if (json) await printText(`${JSON.stringify({ checkpoints })}\n`);
  else if (checkpoints.length === 0) complain(`no run of session ${sessionId} changed files`);
  else await printText(checkpointTable(checkpoints, Date.now()));
  return 0;
}

/** Plans first: a refusal then names every file and why. The engine checks the files again before it replaces them. */
async function decide(rewind: Rewind, onConflict: OnConflict, flags: Flags): Promise<number> {
  const plan = await rewind({ dryRun: true, onConflict });
  const isRefused = plan.conflicts.length > 0 && (onConflict !== "skip" || plan.files.length === 0);
  const result = isRefused || flags["dry-run"] ? plan : await rewind({ onConflict });
  if (flags.json) await printText(`${JSON.stringify(result)}\n`);
  else if (isRefused) complain(refusalText(result, onConflict));
  else await printText(resultText(result, flags.redo ?? false));
  return isRefused ? 1 : 0;
}

function readChoice(text: string | undefined): OnConflict {
  const choice = ON_CONFLICT.find((one) => one === (text ?? "refuse"));
  if (choice) return choice;
  throw new UsageError(`--on-conflict must be one of ${ON_CONFLICT.join(", ")}, not "${text}"`);
}

function readFiles(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const files = text.split(",").map((file) => file.trim());
  if (files.includes("")) throw new UsageError("--files takes paths, separated by commas");
  return files;
}
