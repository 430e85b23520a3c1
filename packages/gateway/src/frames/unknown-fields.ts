import { type CommandRow, commands, FieldError, fieldNames, type HostMistake, parseParams } from "@pintle/wire";
import { gatewayCommands } from "@pintle/wire/gateway";
import type { HostFrame } from "./host-frame.ts";

const ROWS: Readonly<Record<string, CommandRow>> = { ...commands, ...gatewayCommands };
const MAX_NAME_CHARS = 100;

/**
 * Returns a mistake for each field that a command does not have. Used for commands that the gateway executes; engines
 * check the others.
 */
export function unknownFields({ type, id, idText, sessionId, fields }: HostFrame): HostMistake[] {
  const row = Object.hasOwn(ROWS, type) ? ROWS[type] : undefined;
  if (!row) return [];
  const names = fieldNames(row);
  const unknown: string[] = [];
  try {
    parseParams(row, names.includes("sessionId") ? { ...fields, sessionId } : fields, unknown);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error; // the response reports mistakes in known fields
  }
  const known = names.join(", ");
  return unknown.map((field) => ({
    code: "unknown_field",
    reason: `${field.slice(0, MAX_NAME_CHARS)} is not a field of ${type}, which has ${known || "none"}`,
    requestId: id ?? idText,
  }));
}
