import type { Block, Decision, RowState, ShellBody } from "../page-data.ts";
import { blocksText, toBlocks } from "./blocks.ts";
import { summarizeCall } from "./call-summary.ts";
import type { EntryPage, Reading } from "./entry-page.ts";
import { boundedValue, type Fields, fieldsOf, isRecord, listOf, oneLine, textOf } from "./plain-value.ts";
import { usageRow } from "./usage-row.ts";

type Reader = (message: Fields, reading: Reading, at: number) => EntryPage;

const ROLES: Record<string, Reader> = {
  user: (message, { images }) => {
    const blocks = toBlocks(message.content, images);
    return { kind: "user", title: spokenLine(blocks) || "(image)", body: { blocks } };
  },
  // pintle itself reminds the model, for example of open tasks.
  developer: (message, reading) =>
    readNote(message.attribution === "agent" ? "Reminder to the model" : "Instructions", message, reading),
  custom: (message, reading) =>
    message.customType === JOB_RESULT
      ? readJobResult(message, reading)
      : readNote(textOf(message.customType) || "Note", message, reading),
  hookMessage: (message, reading) => readNote(textOf(message.customType) || "Note", message, reading),
  assistant: readAnswer,
  toolResult: readResult,
  bashExecution: (message) => readShell(message, textOf(message.command), "sh"),
  pythonExecution: (message) => readShell(message, textOf(message.code), "py"),
  jsExecution: (message) => readShell(message, textOf(message.code), "js"),
  system: (message) => {
    const { content, sections } = message;
    const text = [textOf(content), ...Object.values(fieldsOf(sections)).map(textOf)].filter((part) => part !== "");
    return { kind: "system", title: "System prompt", body: { text: text.join("\n\n"), facts: [] } };
  },
  compactionSummary: ({ summary }) => ({
    kind: "compaction",
    title: "Compaction",
    body: { text: textOf(summary), facts: [] },
  }),
  branchSummary: ({ summary }) => ({
    kind: "branch",
    title: "Branch summary",
    body: { text: textOf(summary), facts: [] },
  }),
  fileMention: ({ files }, { images }) => {
    const mentioned = listOf(files).filter(isRecord);
    return {
      kind: "files",
      title: oneLine(mentioned.map(({ path }) => textOf(path)).join(", ")) || "Files",
      body: {
        files: mentioned.map(({ path, content, image }) => ({
          path: textOf(path),
          content: textOf(content),
          ...(isRecord(image) && { image: images.block(image) }),
        })),
      },
    };
  },
};

/** Returns undefined for an unknown role. */
export function readMessage(message: unknown, reading: Reading, at: number): EntryPage | undefined {
  const fields = fieldsOf(message);
  const role = textOf(fields.role);
  return Object.hasOwn(ROLES, role) ? ROLES[role]?.(fields, reading, at) : undefined;
}

function readNote(name: string, message: Fields, { images }: Reading): EntryPage {
  const blocks = toBlocks(message.content, images);
  const text = oneLine(blocksText(blocks), 120);
  return {
    kind: "note",
    title: text === "" ? oneLine(name) : `${oneLine(name, 40)}: ${text}`,
    body: { blocks },
    ...(message.display === false && { isUnseen: true }),
  };
}

/** The message that tells the model how background jobs ended. */
const JOB_RESULT = "async-result";

/** Its title says what ended; the text is quoted as the model receives it. */
function readJobResult(message: Fields, reading: Reading): EntryPage {
  const page = readNote("Background work", message, reading);
  const ended = listOf(fieldsOf(message.details).jobs).filter(isRecord);
  const words = ended.map(({ jobId, label, status, exitCode }) =>
    oneLine(
      `${textOf(label) || textOf(jobId)} (${typeof exitCode === "number" ? `exit code ${exitCode}` : textOf(status)})`,
      80,
    ),
  );
  if (page.kind !== "note" || words.length === 0) return page;
  const heading: Block = {
    type: "text",
    text: words.map((word) => `Ended: ${word.replace(/[\\`*_<[]/g, "\\$&")}`).join("\n\n"),
  };
  const quoted: Block = { type: "text", text: fenced(blocksText(page.body.blocks)) };
  return { ...page, title: `Background work: ${words.join(", ")}`, body: { blocks: [heading, quoted] } };
}

/** A fence that the text cannot close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

const STATES: Record<string, RowState> = { error: "error", aborted: "aborted", length: "length" };

function readAnswer(message: Fields, { images, durations, summaries, headline }: Reading, at: number): EntryPage {
  const blocks = toBlocks(message.content, images);
  const calls = blocks.flatMap((block) =>
    block.type === "call"
      ? [{ id: block.id, name: block.name, summary: summarizeCall(block.name, block.args, headline) }]
      : [],
  );
  for (const { id, summary } of calls) summaries.set(id, summary);
  durations.callsBegan(
    calls.map(({ id }) => id),
    at,
  );
  const error = textOf(message.errorMessage);
  const state = STATES[textOf(message.stopReason)];
  const usage = usageRow(message.usage);
  const ms = durations.answer(message, at);
  const model = [message.provider, message.model].map(textOf).filter(Boolean).join("/");
  const spoken = spokenLine(blocks);
  return {
    kind: "assistant",
    title: spoken || (error && oneLine(error)) || answerWithoutText(blocks),
    body: { blocks, ...(error !== "" && { error }) },
    ...(model !== "" && { model }),
    ...(calls.length > 0 && { calls }),
    ...(usage && { usage }),
    ...(ms !== undefined && { ms }),
    ...(state && { state }),
  };
}

/** Removes Markdown syntax, which is distracting in a single line. */
function spokenLine(blocks: readonly Block[]): string {
  return oneLine(
    blocksText(blocks)
      .slice(0, 1000)
      .replace(/^ {0,3}(?:```|~~~)\w*$|\*\*|__|`+|^#{1,6} |^> |^ {0,9}[-*] (?:\[[ x]\] )?/gm, ""),
  );
}

function answerWithoutText(blocks: readonly Block[]): string {
  const names = blocks.flatMap((block) => (block.type === "call" ? [block.name] : []));
  if (names.length > 0) return oneLine(names.join(", "));
  return blocks.length > 0 ? "(thinking)" : "(empty)";
}

function readResult(message: Fields, { images, durations, summaries }: Reading, at: number): EntryPage {
  const { details } = message;
  const tool = textOf(message.toolName) || "tool";
  const call = textOf(message.toolCallId);
  const decision = tool === DECIDING_TOOL ? readDecision(details) : undefined;
  const ms = durations.result(message, at);
  const usage = usageRow(fieldsOf(details).usage);
  const blocks = toBlocks(message.content, images);
  return {
    kind: "tool",
    title: summaries.get(call) || spokenLine(blocks) || "(no output)",
    body: { blocks, ...(details !== undefined && details !== null && { details: boundedValue(details) }) },
    tool,
    call,
    ...(message.isError === true && { state: isStopped(details, blocks) ? ("aborted" as const) : ("error" as const) }),
    ...(decision && { decision }),
    ...(ms !== undefined && { ms }),
    ...(usage && { usage }),
    ...(typeof message.prunedAt === "number" && { out: "pruned" as const }),
  };
}

/** Returns true for a call that the user stopped: it did not start, or was interrupted. */
function isStopped(details: unknown, blocks: readonly Block[]): boolean {
  const { __synthetic: isSynthetic, source, exitCode } = fieldsOf(details);
  if (isSynthetic === true) return source === "aborted" || source === "skipped";
  return exitCode === undefined && /(?:^|\n\n)(?:Interrupted by the user\.|Command aborted)/.test(blocksText(blocks));
}

/** The tool with which the model decides on a preview. */
const DECIDING_TOOL = "resolve";

function readDecision(details: unknown): Decision | undefined {
  const { action, reason, sourceToolName, label } = fieldsOf(details);
  if (action !== "apply" && action !== "discard") return undefined;
  return {
    verdict: action,
    reason: textOf(reason),
    by: "model",
    ...(typeof sourceToolName === "string" && { tool: sourceToolName }),
    ...(typeof label === "string" && { label }),
  };
}

function readShell(message: Fields, command: string, language: string): EntryPage {
  const { output, exitCode, cancelled, truncated, excludeFromContext } = message;
  const note = [cancelled === true && "cancelled", truncated === true && "output cut"].filter(Boolean).join(", ");
  const body: ShellBody = {
    command,
    output: textOf(output),
    language,
    ...(typeof exitCode === "number" && { exitCode }),
    ...(note !== "" && { note }),
  };
  const state: RowState | undefined =
    cancelled === true ? "aborted" : typeof exitCode === "number" && exitCode !== 0 ? "error" : undefined;
  return {
    kind: "shell",
    title: oneLine(command),
    body,
    ...(state && { state }),
    ...(excludeFromContext === true && { out: "excluded" as const }),
  };
}
