import { visiblePath } from "@pintle/foundation";
import type { PermissionRequest } from "@pintle/wire";
import type { ExtensionUi } from "../../../extensibility/ui/ui.ts";
import type { ApprovalQuestion } from "../../../permissions/authorizer.ts";
import { isPresetReason } from "../../../permissions/decide.ts";

/** Asks in a dialog whether a tool call may run. Only an explicit yes allows it. */
export type ApprovalDialog = (
  ui: Pick<ExtensionUi, "select" | "confirm">,
  question: Omit<ApprovalQuestion, "suggestedRules">,
) => Promise<boolean>;

/** Asks with `confirm`, for hosts that show dialogs but do not support `approval_request`. */
export const confirmApproval: ApprovalDialog = (ui, { request, reason, subagent }) =>
  ui.confirm(`Allow ${request.tool}?`, lines([...asker(subagent), ...details(request, ""), `(${reason})`]));

const APPROVE = "Approve";

/**
 * Asks in the form of oh-my-pi. Its clients confirm every `confirm`, and recognize approvals only by this title and these
 * options.
 */
export const selectApproval: ApprovalDialog = async (ui, { request, reason, subagent }) => {
  const title = [
    `Allow tool: ${request.tool}`,
    ...(request.origin.startsWith("mcp:") ? ["Origin: MCP server tool"] : []),
    ...asker(subagent),
    ...(reason === "" || isPresetReason(reason) ? [] : [`Reason: ${reason}`]), // the preset is not a reason specific to this call
    ...(fileDetails(request) ?? details(request, "Command: ")),
  ];
  return (await ui.select(lines(title), [APPROVE, "Deny"])) === APPROVE;
};

/** Names the subagent that asks. Its description is left out, because the model could imitate the lines below with it. */
function asker(subagent: ApprovalQuestion["subagent"]): string[] {
  return subagent ? [`Subagent: ${subagent.id} (${subagent.agent})`] : [];
}

/** Describes a call that changes files, in the words by which clients recognize it. */
function fileDetails({ tool, paths = [], diff }: PermissionRequest): string[] | undefined {
  const written = paths.filter(({ access }) => access === "write").map(({ path }) => path);
  if (diff === undefined || written.length === 0) return undefined;
  if (tool === "edit") return [...written.map((path) => `File: ${path}`), diff];
  if (tool === "write" && written.length === 1) return [`Path: ${written[0]}`, "Content:", diff];
  return undefined;
}

function details({ title, command, diff, escalation }: PermissionRequest, label: string): string[] {
  const settings = Object.entries(command?.env ?? {}).map(([name, value]) => `${name}=${value}`);
  return [
    command ? `${label}${command.text}` : title,
    ...(command?.cwd === undefined ? [] : [`in ${command.cwd}`]),
    ...(settings.length === 0 ? [] : [`with ${settings.join(" ")}`]),
    ...(escalation === undefined ? [] : [`outside the sandbox: ${escalation}`]),
    ...(diff === undefined ? [] : [diff]),
  ];
}

/**
 * Returns the whole text without characters that hide or reverse parts of it, so that the user approves exactly what is
 * shown.
 */
function lines(parts: readonly string[]): string {
  return parts.map((part) => part.split("\n").map(visiblePath).join("\n")).join("\n");
}
