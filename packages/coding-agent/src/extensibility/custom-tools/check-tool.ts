import { isRecord } from "@pintle/ai";
import { readToolTexts, type ToolTexts } from "../../resources/tool-texts.ts";
import { resolveTool } from "../../tools/resolve.ts";
import { describeThrown } from "../modules/load-fault.ts";
import type { CustomTool } from "./types.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Gives the schema as the validator can use it, or throws an Error that says why there is none. */
export type CheckSchema = (schema: Schema) => Schema;

/** What is registered of a tool; read once, because whoever made the object may change it later. */
export interface CheckedTool {
  name: string;
  label: string;
  description: string;
  parameters: Schema;
  isHidden: boolean;
  isDeferrable: boolean;
  /** For the system prompt. */
  texts: ToolTexts;
  /** The object of the module, whose methods are called. */
  declaration: CustomTool;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A text says what is wrong with it. */
export function checkTool(value: unknown, checkSchema: CheckSchema): CheckedTool | string {
  try {
    return check(value, checkSchema);
  } catch (thrown) {
    return `Not a tool: reading it failed: ${describeThrown(thrown)}`;
  }
}

function check(value: unknown, checkSchema: CheckSchema): CheckedTool | string {
  if (typeof value !== "object" || value === null) return `Not a tool: ${value === null ? "null" : typeof value}`;
  const { name, label, description, parameters, execute, hidden, deferrable, onSession } = value as Partial<CustomTool>;
  if (typeof name !== "string") return "Not a tool: it has no name";
  if (!NAME.test(name)) {
    return `Bad tool name ${JSON.stringify(name.slice(0, 100))}: only letters, digits, _ and -, at most 64`;
  }
  if (name === resolveTool.name) return `Tool name "${name}" is taken by pintle's own tool for previews`;
  if (!isText(label)) return `Not a tool: "${name}" has no label`;
  if (!isText(description)) return `Not a tool: "${name}" has no description`;
  if (typeof execute !== "function") return `Not a tool: "${name}" has no execute function`;
  if (onSession !== undefined && typeof onSession !== "function")
    return `Not a tool: onSession of "${name}" is no function`;
  const schema = usableSchema(parameters, checkSchema);
  if (typeof schema === "string") return `Bad schema of tool "${name}": ${schema}`;
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

/** A copy without what is not JSON: marks of schema libraries, functions, anything that could change later. */
function usableSchema(parameters: unknown, checkSchema: CheckSchema): Schema | string {
  if (!isRecord(parameters)) {
    return "parameters must be a JSON Schema object";
  }
  try {
    const copy = JSON.parse(JSON.stringify(parameters)) as Schema;
    // Providers take nothing else, and would then refuse every request of the session.
    if (copy.type !== undefined && copy.type !== "object") return "parameters must describe an object";
    return checkSchema(copy);
  } catch (thrown) {
    return describeThrown(thrown);
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
