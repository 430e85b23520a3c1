import { PERMISSION_MODES, type PermissionMode } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";

/** The limits of the permissions that hosts may grant. */
export interface PermissionBounds {
  /** The most permissive preset that a host may choose. */
  max: PermissionMode;
  /** Whether an answer may be kept in the user's settings. */
  allowAlways: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const freedom = (mode: unknown) => PERMISSION_MODES.findIndex((known) => known === mode);

const CHECKS: Readonly<Record<string, (fields: Fields, bounds: PermissionBounds) => boolean>> = {
  set_permission_mode: ({ mode }, { max }) => freedom(mode) <= freedom(max),
  // Presets do not override rules that allow a call. Even `ask` rules would permit more than `plan`, which denies.
  set_policy: ({ rules }, { max }) =>
    !Array.isArray(rules) ||
    rules.every((rule) => rule?.effect !== "allow" && (max !== "plan" || rule?.effect !== "ask")),
  set_sandbox_mode: ({ mode }) => mode !== "off",
  rewind_files: mayRewind,
  redo_files: mayRewind,
  move_leaf: mayMove,
  branch: mayMove,
  fork: mayMove,
};

/** A rewind writes files without a tool call that could be asked about. */
function mayRewind({ dryRun }: Fields, { max }: PermissionBounds): boolean {
  return dryRun === true || freedom(max) >= freedom("workspace");
}

function mayMove({ files }: Fields, bounds: PermissionBounds): boolean {
  return files !== true || mayRewind({}, bounds);
}

/** Throws CommandError if the command would grant more than hosts may grant. */
export function checkCommand(type: string, fields: Fields, bounds: PermissionBounds | undefined): void {
  if (!bounds || bounds.max === "full" || !Object.hasOwn(CHECKS, type)) return;
  if (!CHECKS[type]!(fields, bounds)) throw refusal(bounds);
}

/** `${NAME}` in a host's servers; the engine replaces it with a variable of the server's environment. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

/** Throws CommandError if a host's MCP servers would receive variables that hosts may not set. */
export function checkVariables(type: string, fields: Fields, allowed: readonly string[]): void {
  if (type !== "set_mcp_servers") return;
  for (const [, name = ""] of JSON.stringify(fields.servers ?? []).matchAll(VARIABLE)) {
    if (!allowed.includes(name))
      throw new CommandError("not_allowed", `The variable ${name} cannot be used by hosts (serve.env)`);
  }
}

/** Limits an answer that would apply forever to the session, unless the server allows more. */
export function boundAnswer(type: string, fields: Fields, bounds: PermissionBounds | undefined): Fields {
  const isKept = type === "approval_response" && fields.decision === "allow_always";
  return isKept && bounds?.allowAlways === false ? { ...fields, decision: "allow_session" } : fields;
}

function refusal({ max }: PermissionBounds): CommandError {
  return new CommandError(
    "not_allowed",
    `Hosts of this server cannot exceed the preset "${max}" (serve.maxPermissions)`,
  );
}
