import { errorText, isRecord } from "@pintle/ai";
import { SessionError } from "../../../storage/session-error.ts";

/** A tool as the host described it, checked. */
export interface HostToolDefinition {
  name: string;
  label: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
  isHidden: boolean;
  /** Replaces the setting. */
  timeoutMs?: number;
}

/** As for the settings that bound a wait for the host: there is no value for "no limit". */
const MAX_TIMEOUT_MS = 86_400_000;

/**
 * Checks the whole list and throws `invalid_request` for the first fault in it. `isTaken` knows the names of all tools that
 * are not the host's.
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
  refuseTakenNames(checked, isTaken); // another tool may have joined meanwhile
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
  const timeoutMs = parseTimeout(tool.timeoutMs, index);
  return {
    name,
    label: trimmed(tool.label) || name,
    description,
    parameters,
    isHidden: tool.hidden === true,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function parseTimeout(timeoutMs: unknown, index: number): number | undefined {
  if (timeoutMs === undefined || timeoutMs === null) return undefined; // some clients send null for unset
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
      return { ...definition, parameters: checkToolSchema(definition.parameters) };
    } catch (error) {
      // Whatever the compiler trips over, the schema is of no use.
      const reason = errorText(error);
      throw refusal(`Host tool "${definition.name}" has an invalid JSON Schema: ${reason}`);
    }
  });
}

const refusal = (text: string) => new SessionError("invalid_request", text);
const trimmed = (value: unknown) => (typeof value === "string" ? value.trim() : "");
