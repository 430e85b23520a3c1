import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { FileChange, PendingActionInfo } from "@pintle/wire";
import type { AcpClient } from "../client/acp-client.ts";
import { textContent } from "../updates/content.ts";
import { unifiedDiffBlocks } from "../updates/diffs.ts";
import { absolutePath, toolKind } from "../updates/tool-table.ts";
import { visible } from "../updates/visible-text.ts";

const APPLY: PermissionOption = { optionId: "apply", name: "Apply", kind: "allow_once" };
const DISCARD: PermissionOption = { optionId: "discard", name: "Discard", kind: "reject_once" };
const CHOOSE: PermissionOption = { optionId: "choose", name: "Choose the parts to apply", kind: "allow_once" };
/** More options than this are no help. */
const MOST_OPTIONS = 8;
const FIELD = "parts";

export type PreviewDecision =
  | { action: "discard" }
  | { action: "apply"; files?: string[] | undefined; hunks?: string[] | undefined };

/** A hunk, or a file that is applied as a whole. */
interface Part {
  id: string;
  name: string;
  isFile: boolean;
}

interface Asked {
  client: AcpClient;
  action: PendingActionInfo;
  call: { toolCallId: string; cwd: string };
  signal: AbortSignal;
}

/** Asks about a staged change, with its diff. Anything but an explicit yes discards it. */
export async function askPreview({ client, action, call, signal }: Asked): Promise<PreviewDecision> {
  const question = previewQuestion(action, call, client.able.showsForms);
  const optionId = await client.askPermission(question, signal);
  if (optionId !== CHOOSE.optionId || !client.able.showsForms) return previewDecision(optionId, action);
  const parts = partsOf(action.changes ?? []);
  const anyOf = parts.map(({ id, name }) => ({ const: id, title: name }));
  const content = await client.elicit(
    {
      message: `${visible(action.label)}: which parts are applied?`,
      requestedSchema: {
        type: "object",
        properties: { [FIELD]: { type: "array", title: "Parts to apply", items: { anyOf }, minItems: 1 } },
        required: [FIELD],
      },
    },
    signal,
  );
  const ids = new Set(Array.isArray(content?.[FIELD]) ? content[FIELD] : []);
  return decisionFor(parts.filter(({ id }) => ids.has(id)));
}

export function previewQuestion(
  action: PendingActionInfo,
  call: { toolCallId: string; cwd: string },
  showsForms: boolean,
): Omit<RequestPermissionRequest, "sessionId"> {
  const { label, sourceToolName, details, changes = [], files = [] } = action;
  const diff = isRecord(details) && typeof details.diff === "string" ? details.diff : "";
  const blocks = unifiedDiffBlocks(diff === "" ? changes.map(toDiff).join("") : diff, call.cwd);
  const paths = changes.length > 0 ? changes.map(({ path }) => path) : files;
  return {
    toolCall: {
      toolCallId: call.toolCallId,
      name: sourceToolName,
      title: visible(label),
      kind: toolKind(sourceToolName),
      status: "pending",
      locations: paths.map((path) => ({ path: absolutePath(path, call.cwd) })),
      content: blocks.length > 0 ? blocks : [textContent(diff === "" ? label : diff)],
    },
    options: [DISCARD, APPLY, ...partOptions(changes, showsForms)],
  };
}

/** Applies what the option names, and only after an explicit yes. */
export function previewDecision(
  optionId: string | undefined,
  { changes = [] }: Pick<PendingActionInfo, "changes">,
): PreviewDecision {
  if (optionId === APPLY.optionId) return { action: "apply" };
  const part = offeredParts(changes).find((_, index) => optionId === partOptionId(index));
  return decisionFor(part ? [part] : []);
}

function decisionFor(parts: readonly Part[]): PreviewDecision {
  if (parts.length === 0) return { action: "discard" };
  const ids = (isFile: boolean) => {
    const some = parts.filter((part) => part.isFile === isFile).map(({ id }) => id);
    return some.length === 0 ? undefined : some;
  };
  return { action: "apply", files: ids(true), hunks: ids(false) };
}

/** A client with forms chooses any parts; any other client chooses one of a few. */
function partOptions(changes: readonly FileChange[], showsForms: boolean): PermissionOption[] {
  if (showsForms) return partsOf(changes).length > 1 ? [CHOOSE] : [];
  return offeredParts(changes).map(({ name }, index) => ({
    optionId: partOptionId(index),
    name: `Apply only ${name}`,
    kind: "allow_once",
  }));
}

const partOptionId = (index: number) => `part_${index}`;

/** Returns the hunks if they are few, otherwise the files, or nothing if there is no choice. */
function offeredParts(changes: readonly FileChange[]): Part[] {
  const files = changes.map(({ path }) => ({ id: path, name: visible(path), isFile: true }));
  const isFew = (parts: readonly Part[]) => parts.length > 1 && parts.length <= MOST_OPTIONS;
  return [partsOf(changes), files].find(isFew) ?? [];
}

function partsOf(changes: readonly FileChange[]): Part[] {
  return changes.flatMap(({ path, hunks = [] }): Part[] => {
    if (hunks.length <= 1) return [{ id: path, name: visible(path), isFile: true }];
    return hunks.map(({ hunkId, newStart, newLines, lines }) => {
      const line = newStart + (newLines === 0 ? 1 : 0) + lines.findIndex((text) => !text.startsWith(" "));
      return { id: hunkId, name: `${visible(path)}:${line}`, isFile: false };
    });
  });
}

/** Converts a change to a unified diff, for previews whose details have none. */
function toDiff({ path, hunks = [] }: FileChange): string {
  const texts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines, ""].join("\n"),
  );
  return texts.length === 0 ? "" : `+++ ${path.startsWith("/") ? path : `b/${path}`}\n${texts.join("")}`;
}
