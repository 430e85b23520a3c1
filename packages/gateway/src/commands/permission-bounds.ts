import { PERMISSION_MODES, type PermissionMode } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";

/** How far hosts may go in what tool calls may do. */
export interface PermissionBounds {
  /** The freest preset that a host may choose. */
  max: PermissionMode;
  /** Whether an answer may be kept in the user's settings. */
  allowAlways: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const freedom = (mode: unknown) => PERMISSION_MODES.findIndex((known) => known === mode);

const CHECKS: Readonly<Record<string, (fields: Fields, bounds: PermissionBounds) => boolean>> = {
  set_permission_mode: ({ mode }, { max }) => freedom(mode) <= freedom(max),
  // What a rule allows, no preset takes back.
  set_policy: ({ rules }) => !Array.isArray(rules) || rules.every((rule) => rule?.effect !== "allow"),
  set_sandbox_mode: ({ mode }) => mode !== "off",
};

/** Throws CommandError when the command would give more rights than hosts may give. */
export function checkCommand(type: string, fields: Fields, bounds: PermissionBounds | undefined): void {
  if (!bounds || bounds.max === "full" || !Object.hasOwn(CHECKS, type)) return;
  if (!CHECKS[type]!(fields, bounds)) throw refusal(bounds);
}

/** The same for what a session is opened with. */
export function checkSettings(settings: Fields = {}, bounds: PermissionBounds | undefined): void {
  if (!bounds || bounds.max === "full") return;
  for (const [key, value] of Object.entries(settings)) {
    const isMode = key === "permissions.mode" && freedom(value) <= freedom(bounds.max);
    const isSandbox = key === "sandbox.mode" && value !== "off";
    if (/^(permissions|sandbox)\./.test(key) && !isMode && !isSandbox) throw refusal(bounds);
  }
}

/** An answer that would be kept for ever holds for the session, unless the server allows more. */
export function boundAnswer(type: string, fields: Fields, bounds: PermissionBounds | undefined): Fields {
  const isKept = type === "approval_response" && fields.decision === "allow_always";
  return isKept && bounds?.allowAlways === false ? { ...fields, decision: "allow_session" } : fields;
}

function refusal({ max }: PermissionBounds): CommandError {
  return new CommandError(
    "not_allowed",
    `Hosts of this server may not go beyond the preset "${max}" (serve.maxPermissions)`,
  );
}
