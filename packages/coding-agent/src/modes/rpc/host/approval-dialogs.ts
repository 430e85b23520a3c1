import { visiblePath } from "@pintle/foundation";
import type { PermissionRequest } from "@pintle/wire";
import type { ExtensionUi } from "../../../extensibility/ui/ui.ts";
import { isPresetReason } from "../../../permissions/decide.ts";

/** Asks by a dialog whether a tool call may run. Only an explicit yes is one. */
export type ApprovalDialog = (
  ui: Pick<ExtensionUi, "select" | "confirm">,
  request: PermissionRequest,
  reason: string,
) => Promise<boolean>;

/** For hosts that show dialogs and know nothing of `approval_request`. */
export const confirmApproval: ApprovalDialog = (ui, request, reason) =>
  ui.confirm(`Allow ${request.tool}?`, lines([...details(request, ""), `(${reason})`]));

const APPROVE = "Approve";

/** The form of oh-my-pi. Its clients confirm any `confirm`, and decide on a call only by this title and these options. */
export const selectApproval: ApprovalDialog = async (ui, request, reason) => {
  const title = [
    `Allow tool: ${request.tool}`,
    ...(request.origin.startsWith("mcp:") ? ["Origin: MCP server tool"] : []),
    ...(reason === "" || isPresetReason(reason) ? [] : [`Reason: ${reason}`]), // the preset is no reason of this call
    ...(fileDetails(request) ?? details(request, "Command: ")),
  ];
  return (await ui.select(lines(title), [APPROVE, "Deny"])) === APPROVE;
};

/** Clients show a call that changes files as such if its title names them in these words. */
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
    ...(escalation === undefined ? [] : [`outside of the sandbox: ${escalation}`]),
    ...(diff === undefined ? [] : [diff]),
  ];
}

/** All of it, with nothing that hides or turns a part: an answer is for what was shown. */
function lines(parts: readonly string[]): string {
  return parts.map((part) => part.split("\n").map(visiblePath).join("\n")).join("\n");
}
