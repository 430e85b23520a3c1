import schema from "@agentclientprotocol/sdk/schema/v1/schema.json";
import { Compile, type Validator } from "typebox/schema";

type Message = Record<string, unknown>;
type Definition = { "x-method"?: string; "x-side"?: string };

const definitions = schema.$defs as unknown as Record<string, Definition>;
const validators = new Map<string, Validator>();

/** Finds the definition in the published schema for a method, in one of three roles. */
function definitionOf(method: string, role: "Request" | "Response" | "Notification"): string | undefined {
  return Object.keys(definitions).find((name) => definitions[name]!["x-method"] === method && name.endsWith(role));
}

function faultsIn(value: unknown, name: string): string[] {
  let validator = validators.get(name);
  if (!validator) {
    validator = Compile({ $defs: schema.$defs, $ref: `#/$defs/${name}` } as never);
    validators.set(name, validator);
  }
  if (validator.Check(value)) return [];
  const [, errors] = validator.Errors(value) as unknown as [boolean, { instancePath: string; message: string }[]];
  const said = errors.map(({ instancePath, message }) => `${instancePath} ${message}`).slice(0, 5);
  return [`${name}: ${said.join("; ")} in ${JSON.stringify(value).slice(0, 400)}`];
}

/** Validates every message between the two sides of a connection. */
export class SchemaCheck {
  readonly faults: string[] = [];
  /** Number of messages, by method or `response to METHOD`. */
  readonly seen = new Map<string, number>();
  readonly #order = new TurnOrder();
  readonly #methods = { client: new Map<unknown, string>(), agent: new Map<unknown, string>() };

  observe(from: "client" | "agent", message: Message): void {
    const { method, id, params } = message;
    if (message.jsonrpc !== "2.0") this.faults.push(`no JSON-RPC: ${JSON.stringify(message).slice(0, 200)}`);
    if (typeof method === "string") this.#call(from, method, { id, params });
    else this.#response(from, message);
  }

  /** Announces a request that no SDK would write, so that its response is expected. */
  expectAnswer(id: unknown, method: string): void {
    this.#methods.client.set(id, method);
  }

  #call(from: "client" | "agent", method: string, { id, params }: { id: unknown; params: unknown }): void {
    this.#count(method);
    this.#order.called(method, id, params);
    if (method === "session/update") this.faults.push(...this.#order.updated(params));
    if (id !== undefined) this.#methods[from].set(id, method);
    const name = definitionOf(method, id === undefined ? "Notification" : "Request");
    if (name) this.faults.push(...faultsIn(params, name));
    else if (!method.startsWith("_")) this.faults.push(`${method} is no method of the stable protocol`);
  }

  #response(from: "client" | "agent", { id, result, error }: Message): void {
    const method = this.#methods[from === "client" ? "agent" : "client"].get(id);
    if (from === "agent") this.#order.answered(id);
    if (error !== undefined) {
      this.#count(`error to ${method}`);
      this.faults.push(...faultsIn(error, "Error"));
    } else if (method === undefined) this.faults.push(`an answer to nothing: ${String(id)}`);
    else {
      this.#count(`response to ${method}`);
      const name = definitionOf(method, "Response");
      if (name) this.faults.push(...faultsIn(result, name));
      this.#methods[from === "client" ? "agent" : "client"].delete(id); // a second response matches no request
    }
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

/** Updates that belong to a turn and so must not follow its response. */
const OF_A_TURN: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "usage_update",
]);

/** Compares the updates of a turn with its response. */
class TurnOrder {
  /** Open prompts by session. A session without an entry has had none since it was opened. */
  readonly #open = new Map<unknown, Set<unknown>>();

  called(method: string, id: unknown, params: unknown): void {
    const { sessionId } = (params ?? {}) as Message;
    if (method === "session/prompt") this.#open.set(sessionId, (this.#open.get(sessionId) ?? new Set()).add(id));
    else if (method === "session/load" || method === "session/resume") this.#open.delete(sessionId);
  }

  answered(id: unknown): void {
    for (const open of this.#open.values()) open.delete(id);
  }

  updated(params: unknown): string[] {
    const { sessionId, update } = params as { sessionId: unknown; update?: { sessionUpdate?: unknown } };
    const isBehind = this.#open.get(sessionId)?.size === 0 && OF_A_TURN.has(update?.sessionUpdate);
    return isBehind ? [`behind the answer of its turn: ${JSON.stringify(update).slice(0, 200)}`] : [];
  }
}
