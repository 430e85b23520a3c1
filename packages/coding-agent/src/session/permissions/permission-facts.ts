import type { SandboxMode } from "@pintle/exec";
import type { NetworkAccess } from "@pintle/foundation";
import type { PermissionMode } from "@pintle/wire";

/** The permissions of a session, as far as they affect what the model should do. */
export interface PermissionSituation {
  mode: PermissionMode;
  /** Whether a user can be asked. */
  isAnswered: boolean;
  /** The sandbox for commands. Also `off` if the machine cannot enforce one. */
  sandbox: {
    mode: SandboxMode;
    network: NetworkAccess;
    /** Additional places that commands may write to. */
    write: readonly string[];
  };
  /** Directories of the workspace, apart from the working directory. */
  roots: readonly string[];
}

/** Returns what the model needs to know about its permissions. Empty if nothing restricts it. */
export function permissionFacts(situation: PermissionSituation): string {
  const { mode, sandbox } = situation;
  const lines = [MODES[mode](situation), sandbox.mode === "off" ? "" : sandboxText(situation)];
  return lines.filter((line) => line !== "").join(" ");
}

/** Sent to a model that knows of earlier restrictions when there are none any more. */
export const NO_RESTRICTIONS =
  "Your calls are no longer restricted: none needs approval, and commands run outside the sandbox.";

const MODES: Readonly<Record<PermissionMode, (situation: PermissionSituation) => string>> = {
  plan: () =>
    "You are in plan mode: investigate only. You may read files and run read-only commands; everything else is denied. End with a plan that the user can approve.",
  ask: (situation) =>
    `You may read files and run read-only commands; changes to files and other commands ${needsApproval(situation)}.`,
  workspace: (situation) => {
    const commands = situation.sandbox.mode === "off" ? " and commands that are not read-only" : "";
    return `You may change files in ${listed(workspaceOf(situation))}; changes elsewhere${commands} ${needsApproval(situation)}.`;
  },
  full: () => "",
};

function needsApproval({ isAnswered }: PermissionSituation): string {
  return isAnswered ? "need the user's approval, which your call requests" : "are denied, because no user can be asked";
}

function sandboxText(situation: PermissionSituation): string {
  const { mode, sandbox } = situation;
  const writes =
    sandbox.mode === "read-only"
      ? "can write nowhere"
      : `can write only to ${listed([...workspaceOf(situation), "the temporary directories", ...sandbox.write])}`;
  const escalation =
    mode === "plan" || !situation.isAnswered
      ? ""
      : " If a command fails because of the sandbox and there is no alternative, call bash again with escalate: true and a reason; the user decides.";
  return `Commands run in a sandbox: they ${writes} and ${networkText(sandbox.network)}.${escalation}`;
}

function networkText(network: NetworkAccess): string {
  if (network === "on") return "have network access";
  if (network === "off" || network.length === 0) return "have no network access";
  return `can reach only ${listed(network)}, through the proxy in HTTP_PROXY and HTTPS_PROXY`;
}

function workspaceOf({ roots }: PermissionSituation): string[] {
  return ["the working directory", ...roots];
}

/** Joins items as "a", "a and b" or "a, b and c". */
function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
