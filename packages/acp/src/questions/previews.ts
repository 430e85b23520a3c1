import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { isRecord } from "@pintle/ai";
import type { PendingActionInfo } from "@pintle/wire";
import { textContent } from "../updates/content.ts";
import { unifiedDiffBlocks } from "../updates/diffs.ts";
import { absolutePath, toolKind } from "../updates/tool-table.ts";
import { visible } from "../updates/visible-text.ts";

const APPLY: PermissionOption = { optionId: "apply", name: "Apply", kind: "allow_once" };
const DISCARD: PermissionOption = { optionId: "discard", name: "Discard", kind: "reject_once" };

/** Asks about a staged change, with its diff. */
export function previewQuestion(
  action: PendingActionInfo,
  call: { toolCallId: string; cwd: string },
): Omit<RequestPermissionRequest, "sessionId"> {
  const { label, sourceToolName, details, files = [] } = action;
  const diff = isRecord(details) && typeof details.diff === "string" ? details.diff : "";
  const blocks = unifiedDiffBlocks(diff, call.cwd);
  return {
    toolCall: {
      toolCallId: call.toolCallId,
      name: sourceToolName,
      title: visible(label),
      kind: toolKind(sourceToolName),
      status: "pending",
      locations: files.map((path) => ({ path: absolutePath(path, call.cwd) })),
      content: blocks.length > 0 ? blocks : [textContent(diff === "" ? label : diff)],
    },
    options: [DISCARD, APPLY],
  };
}

/** Applies the change only after an explicit yes. */
export function previewVerdict(optionId: string | undefined): "apply" | "discard" {
  return optionId === APPLY.optionId ? "apply" : "discard";
}
