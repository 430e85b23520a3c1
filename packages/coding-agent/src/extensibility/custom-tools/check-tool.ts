import { isRecord } from "@pintle/ai";
import { readToolTexts, type ToolTexts } from "../../resources/system-prompt/tool-texts.ts";
import { resolveTool } from "../../tools/resolve.ts";
import type { CustomTool } from "../api/tool-types.ts";
import { describeThrown } from "../loading/load-fault.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The registered parts of a tool; read once, because the module may change the object later. */
export interface CheckedTool {
  name: string;
  label: string;
  description: string;
  parameters: Schema;
  isHidden: boolean;
  isDeferrable: boolean;
  /** For the system prompt. */
  texts: ToolTexts;
  /** The module's object, whose methods are called. */
  declaration: CustomTool;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Checks a tool. Returns a string that says what is wrong if it cannot be used. */
export function checkTool(value: unknown): CheckedTool | string {
  try {
    return check(value);
  } catch (thrown) {
    return `Not a tool: reading it failed: ${describeThrown(thrown)}`;
  }
}

function check(value: unknown): CheckedTool | string {
  if (typeof value !== "object" || value === null) return `Not a tool: ${value === null ? "null" : typeof value}`;
  const { name, label, description, parameters, execute, hidden, deferrable, onSession }: Partial<CustomTool> = value;
  if (typeof name !== "string") return "Not a tool: it has no name";
  if (!NAME.test(name)) {
    return `Invalid tool name ${JSON.stringify(name.slice(0, 100))}: only letters, digits, _ and -, at most 64`;
  }
  if (name === resolveTool.name) return `Tool name "${name}" is taken by pintle's own tool for previews`;
  if (!isText(label)) return `Not a tool: "${name}" has no label`;
  if (!isText(description)) return `Not a tool: "${name}" has no description`;
  if (typeof execute !== "function") return `Not a tool: "${name}" has no execute function`;
  if (onSession !== undefined && typeof onSession !== "function")
    return `Not a tool: onSession of "${name}" is not a function`;
  const schema = usableSchema(parameters);
  if (typeof schema === "string") return `Invalid schema of tool "${name}": ${schema}`;
  return {
    name,
    label,
    description,
    parameters: schema,
    isHidden: hidden === true,
    isDeferrable: deferrable === true,
    texts: readToolTexts(value),
    declaration: value as CustomTool,
  };
}

/**
 * Returns a copy without anything that is not JSON: marks of schema libraries, functions, and anything else that could change
 * later.
 */
function usableSchema(parameters: unknown): Schema | string {
  if (!isRecord(parameters)) {
    return "parameters must be a JSON Schema object";
  }
  try {
    const copy: Schema = JSON.parse(JSON.stringify(parameters));
    // Providers accept nothing else, and would reject every request of the session.
    if (copy.type !== undefined && copy.type !== "object") return "parameters must describe an object";
    // Loaded lazily: most extensions have no tools, and the schema compiler takes as long to load as everything else here.
    const { checkToolSchema }: typeof import("../../schemas/tool-schema.ts") = require("../../schemas/tool-schema.ts");
    return checkToolSchema(copy);
  } catch (thrown) {
    return describeThrown(thrown);
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
