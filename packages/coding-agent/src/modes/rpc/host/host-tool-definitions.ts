import type { ToolAnnotations } from "@pintle/agent";
import { cutText, errorText, isRecord } from "@pintle/ai";
import { SessionError } from "@pintle/storage";

/** A validated tool definition from the host. */
export interface HostToolDefinition {
  name: string;
  label: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
  isHidden: boolean;
  annotations?: ToolAnnotations;
  /** Overrides the setting. */
  timeoutMs?: number;
}

/** Maximum timeout. As with settings for waits, there is no value for "no limit". */
const MAX_TIMEOUT_MS = 86_400_000;
/** Maximum length of a name or type in an error message. */
const MAX_SHOWN_NAME = 100;

/**
 * Validates the whole list and throws `invalid_request` for the first mistake. `isTaken` returns whether a tool that is not
 * the host's has the name.
 */
export async function parseHostTools(
  tools: unknown,
  isTaken: (name: string) => boolean,
): Promise<HostToolDefinition[]> {
  if (!Array.isArray(tools)) throw refusal("Invalid set_host_tools: tools must be an array");
  const definitions = tools.map(parseDefinition);
  refuseDoubleNames(definitions);
  refuseTakenNames(definitions, isTaken);
  const checked = await withUsableSchemas(definitions);
  refuseTakenNames(checked, isTaken); // another tool may have been added in the meantime
  return checked;
}

function parseDefinition(input: unknown, index: number): HostToolDefinition {
  const tool: Record<string, unknown> = isRecord(input) ? input : {};
  const name = trimmed(tool.name);
  if (name === "") throw refusal(`Host tool at index ${index} must provide a non-empty name`);
  const description = trimmed(tool.description);
  if (description === "") throw refusal(`Host tool "${name}" must provide a non-empty description`);
  const { parameters } = tool;
  if (!isRecord(parameters)) throw refusal(`Host tool "${name}" must provide a JSON Schema object`);
  refuseName(name);
  const timeoutMs = parseTimeout(tool.timeoutMs, index);
  return {
    name,
    label: trimmed(tool.label) || name,
    description,
    parameters,
    isHidden: tool.hidden === true,
    ...parseAnnotations(tool.annotations, name),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/**
 * Validates annotations strictly, because permissions depend on them: refuses values that are not booleans, and misspelled
 * names.
 */
function parseAnnotations(given: unknown, name: string): { annotations?: ToolAnnotations } {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw refusal(`Host tool "${name}" has annotations that are not an object`);
  const { title, ...hints } = given;
  if (title !== undefined && typeof title !== "string") {
    throw refusal(`Host tool "${name}" has an annotation title that is not a string`);
  }
  for (const [hint, value] of Object.entries(hints)) {
    if (!HINTS.some((known) => known === hint)) {
      const shown = cutText(hint, MAX_SHOWN_NAME);
      throw refusal(`Host tool "${name}" has an unknown annotation "${shown}": known are title, ${HINTS.join(", ")}`);
    }
    if (typeof value !== "boolean")
      throw refusal(`Host tool "${name}" has an annotation ${hint} that is not a boolean`);
  }
  return { annotations: { ...given } };
}

/** Names that every provider accepts. Only Google requires a letter or an underscore first. */
const PROVIDER_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

function refuseName(name: string): void {
  if (PROVIDER_NAME.test(name)) return;
  throw refusal(
    `Host tool "${cutText(name, MAX_SHOWN_NAME)}" has a name that providers refuse: use 1 to 64 letters, digits, "_" and "-", beginning with a letter or "_"`,
  );
}

/** Keywords with which a root may be something other than one object, which providers refuse. */
const ROOT_ALTERNATIVES = ["anyOf", "oneOf", "not", "enum", "const"];

/** Checks that the root is an object, because arguments always are. A root without `type` is accepted. */
function refuseRoot(schema: Readonly<Record<string, unknown>>): void {
  const { type = "object" } = schema;
  if (type !== "object") {
    throw new Error(`its root must have the type "object", not ${cutText(JSON.stringify(type), MAX_SHOWN_NAME)}`);
  }
  const keyword = ROOT_ALTERNATIVES.find((name) => Object.hasOwn(schema, name));
  if (keyword !== undefined) throw new Error(`its root must be one object, and "${keyword}" is not allowed there`);
}

function parseTimeout(timeoutMs: unknown, index: number): number | undefined {
  if (timeoutMs === undefined || timeoutMs === null) return undefined; // some clients send null for fields that are not set
  const isInteger = typeof timeoutMs === "number" && Number.isInteger(timeoutMs);
  if (isInteger && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS) return timeoutMs;
  throw refusal(
    `Invalid set_host_tools: tools[${index}].timeoutMs must be an integer from 1 to ${MAX_TIMEOUT_MS} (milliseconds)`,
  );
}

function refuseDoubleNames(definitions: readonly HostToolDefinition[]): void {
  const names = new Set(definitions.map(({ name }) => name));
  if (names.size < definitions.length) throw refusal("RPC host tool names must be unique");
}

function refuseTakenNames(definitions: readonly HostToolDefinition[], isTaken: (name: string) => boolean): void {
  const taken = definitions.find(({ name }) => isTaken(name));
  if (taken) throw refusal(`RPC host tool "${taken.name}" conflicts with an existing tool`);
}

async function withUsableSchemas(definitions: readonly HostToolDefinition[]): Promise<HostToolDefinition[]> {
  if (definitions.length === 0) return [];
  const { checkToolSchema } = await import("../../../schemas/tool-schema.ts");
  return definitions.map((definition) => {
    try {
      const parameters = checkToolSchema(definition.parameters);
      refuseRoot(parameters);
      return { ...definition, parameters };
    } catch (error) {
      // The schema is unusable, whatever the compiler's error is.
      const reason = errorText(error);
      throw refusal(`Host tool "${definition.name}" has an invalid JSON Schema: ${reason}`);
    }
  });
}

const refusal = (text: string) => new SessionError("invalid_request", text);
const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : "");
