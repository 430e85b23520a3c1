import type { SandboxMode } from "@pintle/exec";
import type { NetworkAccess } from "@pintle/foundation";
import type { PermissionMode } from "@pintle/wire";

/** What decides on the calls of the model, as far as it changes what the model should do. */
export interface PermissionSituation {
  mode: PermissionMode;
  /** Whether a person can be asked. */
  isAnswered: boolean;
  /** What commands run in; `off` also where the machine cannot enforce it. */
  sandbox: {
    mode: SandboxMode;
    network: NetworkAccess;
    /** Further places that may be written to. */
    write: readonly string[];
  };
  /** Directories that count as the workspace besides the working directory. */
  roots: readonly string[];
}

/** What the model needs to know of its permissions. Empty if nothing restricts it. */
export function permissionFacts(situation: PermissionSituation): string {
  const { mode, sandbox } = situation;
  const lines = [MODES[mode](situation), sandbox.mode === "off" ? "" : sandboxText(situation)];
  return lines.filter((line) => line !== "").join(" ");
}

/** Sent instead of no facts to a model that knew of restrictions. */
export const NO_RESTRICTIONS =
  "Your calls are no longer restricted: none needs approval, and commands run outside of a sandbox.";

const MODES: Readonly<Record<PermissionMode, (situation: PermissionSituation) => string>> = {
  plan: () =>
    "You are in plan mode: investigate only. Reading files and read-only commands are allowed; anything that changes something is denied. End with a plan that the user can approve.",
  ask: (situation) =>
    `Reading files and read-only commands are allowed; a change to a file and any other command ${needsApproval(situation)}.`,
  workspace: (situation) => {
    const commands = situation.sandbox.mode === "off" ? ", and commands that are not read-only," : "";
    return `You may change files in ${placesOf(situation)}; changes elsewhere${commands} ${needsApproval(situation)}.`;
  },
  full: () => "",
};

function needsApproval({ isAnswered }: PermissionSituation): string {
  return isAnswered
    ? "need the user's approval, which is asked for when you make the call"
    : "are denied, because no user can be asked";
}

function sandboxText(situation: PermissionSituation): string {
  const { mode, sandbox } = situation;
  const writes =
    sandbox.mode === "read-only"
      ? "can write nowhere"
      : `can write only in ${[placesOf(situation), "the temporary directories", ...sandbox.write].join(", ")}`;
  const escalation =
    mode === "plan" || !situation.isAnswered
      ? ""
      : " If a command fails because of that and has no alternative inside, call bash again with escalate: true and a reason; the user decides.";
  return `Commands run in a sandbox: they ${writes}, and they ${networkText(sandbox.network)}.${escalation}`;
}

function networkText(network: NetworkAccess): string {
  if (network === "on") return "have network access";
  if (network === "off" || network.length === 0) return "have no network access";
  return `reach only these hosts, through the proxy that HTTP_PROXY and HTTPS_PROXY name: ${network.join(", ")}`;
}

function placesOf({ roots }: PermissionSituation): string {
  return ["the working directory", ...roots].join(", ");
}
