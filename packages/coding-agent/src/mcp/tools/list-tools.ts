import type { Tool, ToolAnnotations } from "@pintle/agent";
import { cutText, errorText, isRecord } from "@pintle/ai";
import { toPlainText } from "@pintle/exec";
import { visibleName } from "@pintle/foundation";
import { renameProperties, withRealNames } from "../../schemas/property-names.ts";
import { repairSchema } from "../../schemas/schema-repair.ts";
import { fitSchema } from "../../schemas/schema-size.ts";
import { checkToolSchema } from "../../schemas/tool-schema.ts";
import { type ParameterHeader, readParameterHeaders } from "../connection/parameter-headers.ts";

// Loaded with the first server that has answered: the schema compiler is slow to load.

/** An MCP tool that can be offered to the model. */
export interface ListedTool {
  /** The server's name for it. */
  tool: string;
  label: string;
  description: string;
  parameters: Tool["parameters"];
  /** Arguments that are repeated in headers, or a string that says why they cannot be. */
  headers?: readonly ParameterHeader[] | string;
  annotations?: ToolAnnotations;
  /** Converts arguments to the server's names, if the model uses other names. */
  toServer?(args: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

export interface ToolList {
  tools: ListedTool[];
  /** Why the other tools were rejected. */
  faults: string[];
}

export type AskForPage = (cursor: string | undefined) => Promise<Record<string, unknown>>;

const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;
/** Further faults would add nothing. */
const MAX_FAULTS = 100;
const MAX_NAME = 256;
const MAX_LABEL = 200;
const MAX_DESCRIPTION = 8_192;
const MAX_SCHEMA = 64 * 1024;
/** Compiling a schema takes about a millisecond, so other work gets a turn after this many. */
const CHECKED_AT_ONCE = 10;

/** Reads all pages, up to a limit that no model could use. Rejects if a page cannot be read. */
export async function listTools(askForPage: AskForPage): Promise<ToolList> {
  const tools = new Map<string, ListedTool>();
  const faults: string[] = [];
  const seen = new Set<unknown>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await askForPage(cursor);
    if (!Array.isArray(answer.tools)) throw new Error("its list of tools is not a list");
    for (const [index, entry] of answer.tools.entries()) {
      if (tools.size === MAX_TOOLS) return { tools: [...tools.values()], faults: [...faults, TOO_MANY] };
      const checked = checkEntry(entry, tools);
      if (typeof checked !== "string") tools.set(checked.tool, checked);
      else if (faults.length < MAX_FAULTS) faults.push(checked);
      if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextTurn();
    }
    if (typeof answer.nextCursor !== "string" || answer.nextCursor === "")
      return { tools: [...tools.values()], faults };
    if (seen.has(answer.nextCursor)) break;
    seen.add(answer.nextCursor);
    cursor = answer.nextCursor;
  }
  return { tools: [...tools.values()], faults: [...faults, "its list of tools does not end"] };
}

const TOO_MANY = `only the first ${MAX_TOOLS} tools are used`;

/** Returns a string that says what is wrong if the tool cannot be used. */
function checkEntry(entry: unknown, known: ReadonlyMap<string, unknown>): ListedTool | string {
  if (!isRecord(entry)) return "a tool is not an object";
  const { name, title, description, inputSchema, annotations, execution } = entry;
  if (typeof name !== "string" || name === "") return "a tool has no name";
  const shown = `tool "${visibleName(name)}"`;
  if (name.length > MAX_NAME) return `${shown} has a name of more than ${MAX_NAME} characters`;
  if (known.has(name)) return `${shown} is listed twice`;
  if (isRecord(execution) && execution.taskSupport === "required") return `${shown} can only be run as a task`;
  const usable = usableSchema(inputSchema);
  if (typeof usable === "string") return `${shown}: ${usable}`;
  const { schema: parameters, realNames } = usable;
  const headers = readParameterHeaders(inputSchema);
  const hints = annotationsOf(annotations);
  const label = textOr(title, isRecord(annotations) ? annotations.title : undefined, name);
  return {
    tool: name,
    label: visibleName(label).slice(0, MAX_LABEL),
    description: cutText(plain(textOr(description, label)), MAX_DESCRIPTION),
    parameters: parameters as Tool["parameters"],
    ...(headers.length > 0 && { headers }),
    ...(hints && { annotations: hints }),
    ...(realNames && { toServer: (args) => withRealNames(args, realNames) }),
  };
}

function usableSchema(given: unknown): { schema: object; realNames?: ReadonlyMap<string, string> } | string {
  const repaired = repairSchema(given);
  if (typeof repaired === "string") return repaired;
  const schema = fitSchema(repaired, MAX_SCHEMA);
  if (!schema) return `its schema is larger than ${MAX_SCHEMA / 1024} KiB`;
  try {
    const renamed = renameProperties(schema);
    return { ...renamed, schema: checkToolSchema(renamed?.schema ?? schema) };
  } catch (error) {
    return `its schema cannot be used: ${cutText(errorText(error), 300)}`;
  }
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

function annotationsOf(given: unknown): ToolAnnotations | undefined {
  if (!isRecord(given)) return undefined;
  const annotations: ToolAnnotations = {};
  const title = textOr(given.title);
  if (title !== "") annotations.title = visibleName(title).slice(0, MAX_LABEL);
  for (const hint of HINTS) {
    const value = given[hint];
    if (typeof value === "boolean") annotations[hint] = value;
  }
  return Object.keys(annotations).length > 0 ? annotations : undefined;
}

function textOr(...candidates: unknown[]): string {
  return candidates.find((text): text is string => typeof text === "string" && text.trim() !== "") ?? "";
}

function plain(text: string): string {
  return toPlainText(Buffer.from(text), { hasStart: true, hasEnd: true });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
