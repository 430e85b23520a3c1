import { cutText } from "@pintle/ai";
import { commands, type FrameId } from "@pintle/wire";
import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";

/** The response that a line must get. */
export interface ExpectedAnswer {
  command: string;
  id?: FrameId;
  requestId?: FrameId;
  /** All fields of a line that is a command. */
  fields?: Record<string, unknown>;
}

const HOST_ANSWERS = ["extension_ui_response", "host_tool_result", "host_tool_update", "trust_response"];

const isFrameId = (id: unknown): id is FrameId => typeof id === "string" || Number.isFinite(id);

function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

/** Implements the rules for responses a second time. Returns undefined if the line gets no response. */
export function expectedAnswer(line: Uint8Array, dialect: Dialect): ExpectedAnswer | undefined {
  const text = new TextDecoder().decode(line);
  if (text.trim() === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { command: "parse" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { command: "parse" };
  const fields = value as Record<string, unknown>;
  const { type } = fields;
  const id = isFrameId(fields.id) ? fields.id : undefined;
  const isTooDeep = levelsOf(value) > 200;
  const isBadId = id === undefined && fields.id !== undefined && fields.id !== null && !isTooDeep;
  const requestId = isBadId ? cutText(JSON.stringify(fields.id), 1000) : id;
  // Hosts of other programs match a response by its `id` only.
  const labels = requestId === undefined ? {} : { requestId, ...(dialect !== "seed" && { id: requestId }) };
  if (typeof type !== "string") return { command: "parse", ...labels };
  if (isTooDeep) return { command: "parse", ...labels };
  if (HOST_ANSWERS.includes(type)) return undefined;
  if (Object.hasOwn(commands, type))
    return { command: type, ...(isBadId ? labels : id !== undefined && { id }), fields };
  return { command: type, ...labels };
}
