import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { cutText } from "@pintle/ai";
import { canonicalPath, fileError, isMissing } from "@pintle/foundation";
import type { EditArguments, EditDetails } from "../edit.ts";
import type { HostCall, HostFiles } from "../host-workplace.ts";
import { withFileMutationQueue } from "../shared/file-mutations.ts";
import { readVersion, replaceApproved } from "../shared/file-version.ts";
import { missingFileError } from "../shared/missing-file.ts";
import { numberedDiff } from "../shared/numbered-diff.ts";
import { displayPath, resolveToolPath } from "../shared/paths.ts";
import { writableTarget } from "../shared/protected-paths.ts";
import { formatBytes } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { applyEdits, type Edit, type EditedText } from "./apply-edits.ts";
import { decodeFile } from "./file-text.ts";

/** Limits memory, because matching holds several copies of the text. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

interface EditTask {
  shownPath: string;
  edits: readonly Edit[];
  call: HostCall;
  files: HostFiles | undefined;
  approved: ToolContext["approved"];
  beforeWrite: ToolContext["beforeWrite"];
  /** Returns the path with links resolved. Throws if the file may not be changed. */
  target(): string;
}

export async function execute(
  { path, edits }: EditArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<EditDetails>> {
  const absolutePath = resolveToolPath(path, context.cwd());
  const shownPath = displayPath(absolutePath, context.cwd());
  const target = () => {
    const real = writableTarget(absolutePath, context.home, shownPath);
    context.approved?.require(id, real, shownPath);
    return real;
  };
  const { approved, beforeWrite } = context;
  const files = context.workplace?.().files;
  const task = { shownPath, edits, call: { id, signal }, files, approved, beforeWrite, target };
  try {
    const { details, text } = await withFileMutationQueue(absolutePath, () => editFile(task));
    return { content: [{ type: "text", text }], details };
  } catch (error) {
    if (isMissing(error)) throw await missingFileError("edit", absolutePath, context.cwd(), error);
    throw fileError("edit", shownPath, error);
  }
}

export async function preview({ path, edits }: EditArguments, context: ToolContext): Promise<string | undefined> {
  const absolutePath = resolveToolPath(path, context.cwd());
  const { details } = await planEdit(canonicalPath(absolutePath), edits, displayPath(absolutePath, context.cwd()));
  return details.diff;
}

async function editFile({ shownPath, edits, call, files, approved, beforeWrite, target: findTarget }: EditTask) {
  const { signal } = call;
  const target = findTarget();
  signal.throwIfAborted();
  beforeWrite?.(target, call.id);
  const open = await files?.read(target, call);
  if (open !== undefined)
    return editOpenFile(open, { shownPath, edits, target, write: (text) => files?.write(target, text, call) });
  const { file, bytes, details, edited } = await planEdit(target, edits, shownPath);
  signal.throwIfAborted();
  // No await from here on, so an abort leaves either the old file or the new one.
  const changed = `${shownPath} was changed by another program in the meantime; read it again.`;
  replaceApproved(target, shownPath, {
    content: bytes(),
    beforeRename: (path) => {
      approved?.requireUnchanged(call.id, target, shownPath);
      file.refuseIfChanged(changed, path);
    },
  });
  approved?.noteWritten(target);
  return { details, text: resultText(shownPath, edited, details) };
}

interface OpenFileEdit extends Pick<EditTask, "shownPath" | "edits"> {
  target: string;
  write(text: string): Promise<boolean> | undefined;
}

/** Edits the unsaved text in the host's editor. */
async function editOpenFile(content: string, { shownPath, edits, write }: OpenFileEdit) {
  const { bytes, details, edited } = await planText(Buffer.from(content), edits, shownPath);
  if (!(await write(Buffer.from(bytes()).toString()))) {
    throw new Error(`${shownPath} was closed in the editor in the meantime; read it again.`);
  }
  return { details, text: resultText(shownPath, edited, details) };
}

async function planEdit(target: string, edits: readonly Edit[], shownPath: string) {
  const file = await readVersion(target, MAX_FILE_BYTES, shownPath);
  if ("special" in file) throw new Error(`${shownPath} is a ${file.special}, not a file that can be edited.`);
  if ("tooLarge" in file) throw new Error(tooLargeText(shownPath, file.tooLarge));
  return { file, ...(await planText(file.bytes, edits, shownPath)) };
}

async function planText(content: Buffer, edits: readonly Edit[], shownPath: string) {
  const decoded = decodeFile(content);
  if (!decoded) throw new Error(`${shownPath} is a binary file and cannot be edited as text.`);
  const edited = applyEdits(decoded, edits, shownPath);
  const details = await numberedDiff(edited.before, edited.changes, decoded.toShown);
  return { details, edited, bytes: () => decoded.toBytes(edited.text) };
}

function tooLargeText(shownPath: string, bytes: number): string {
  const [size, limit] = [formatBytes(bytes), formatBytes(MAX_FILE_BYTES)];
  return `${shownPath} is ${size}; edit takes files of up to ${limit}. Use bash, for example with sed -i.`;
}

const MAX_LINES = 40;
const MAX_LINE = 160;
const MAX_CHARACTERS = 2000;

/** Reports the replacements, how inexact text matched, and the changed lines with their numbers. */
function resultText(shownPath: string, { replacements, notes }: EditedText, { diff }: EditDetails): string {
  const count = `${replacements} ${replacements === 1 ? "replacement" : "replacements"}`;
  return [`Edited ${shownPath} (${[count, ...notes].join("; ")})`, ...changedLines(diff)].join("\n");
}

function changedLines(diff: string): string[] {
  const changed = diff.split("\n").filter((line) => line.startsWith("+") || line.startsWith("-"));
  const shown: string[] = [];
  let characters = 0;
  for (const line of changed) {
    const short = cutText(line, MAX_LINE);
    characters += short.length + 1;
    if (shown.length === MAX_LINES || characters > MAX_CHARACTERS) break;
    shown.push(short);
  }
  const rest = changed.length - shown.length;
  return rest > 0 ? [...shown, `[${rest} more changed lines]`] : shown;
}
