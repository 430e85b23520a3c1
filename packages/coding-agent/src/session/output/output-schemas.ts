import type { AgentMessage } from "@pintle/agent";
import { isEntry, SessionError } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import type { CheckedOutputSchema } from "../../schemas/output-schema.ts";

/** Checks a schema from outside. Throws a SessionError that names the invalid place. */
export async function readOutputSchema(value: unknown, name = "outputSchema"): Promise<CheckedOutputSchema> {
  const { checkOutputSchema, OutputSchemaError } = await import("../../schemas/output-schema.ts");
  try {
    return checkOutputSchema(value);
  } catch (error) {
    if (!(error instanceof OutputSchemaError)) throw error;
    throw new SessionError("invalid_request", `Invalid ${name}: ${error.message}`);
  }
}

/** Returns the schema that the last user message of a conversation was stored with. Throws SessionError. */
export async function storedOutputSchema(path: readonly SessionEntry[]): Promise<CheckedOutputSchema | undefined> {
  const last = path.findLast((entry) => isEntry(entry, "message") && entry.message.role === "user");
  const stored = last && isEntry(last, "message") ? last.outputSchema : undefined;
  return stored === undefined ? undefined : readOutputSchema(stored, "outputSchema of the stored message");
}

/** Knows the output schema of each user message, so that it is stored with the message: resuming a run needs it. */
export class OutputSchemas {
  readonly #ofMessage = new WeakMap<AgentMessage, object>();
  /** The schema of the active run; messages sent during a run belong to it. */
  ofRun: object | undefined;

  mark(message: AgentMessage, schema: object | undefined): void {
    if (schema) this.#ofMessage.set(message, schema);
  }

  of(message: AgentMessage): object | undefined {
    if (message.role !== "user") return undefined;
    return this.#ofMessage.get(message) ?? this.ofRun;
  }
}
