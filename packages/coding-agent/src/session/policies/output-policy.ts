import type { AgentEvent, NextStep, Outcome, OutputStrategy, RunOutput } from "@pintle/agent";
import { type Model, supportsOutputFormat, takesForcedTool } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { CheckedOutputSchema } from "../../schemas/output-schema.ts";
import type { ModelState } from "../models/model-state.ts";
import { type OutputSchemas, readOutputSchema } from "../output/output-schemas.ts";
import type { RunPolicy } from "./policy.ts";

export interface OutputPolicyParts {
  settings: Pick<Settings, "get">;
  models: Pick<ModelState, "current" | "thinkingLevel">;
  schemas: OutputSchemas;
  /** Returns the reason why a valid output cannot be accepted yet. */
  obstacle(): string | undefined;
  emit(event: AgentSessionEvent): void;
}

/** Determines the output that the next run must produce, and how its model is asked for it. */
export class OutputPolicy implements RunPolicy {
  readonly name = "output";
  /** The schema of prompts without one of their own; applies to all sessions of the process. */
  default: CheckedOutputSchema | undefined;
  readonly #parts: OutputPolicyParts;
  /** Models whose provider refused the native format in this run. */
  readonly #refusedFormat = new Set<string>();
  /** Models whose provider refused a forced tool, for the lifetime of the process. */
  readonly #unforceable = new Set<string>();
  #next: (() => RunOutput) | undefined;
  #current: RunOutput | undefined;

  constructor(parts: OutputPolicyParts) {
    this.#parts = parts;
  }

  /** Sets the default. Throws SessionError if outputs cannot be checked against the schema. */
  async setDefault(schema: unknown): Promise<void> {
    this.default = schema === undefined ? undefined : await readOutputSchema(schema, "schema");
  }

  /** Prepares the run that is about to start. Nothing may be awaited between this and its start. */
  begin(create: (() => RunOutput) | undefined, schema: object | undefined): void {
    this.#refusedFormat.clear();
    this.#next = create;
    this.#parts.schemas.ofRun = schema;
  }

  /** Loads the code for a schema, and returns the function that creates the output of a run. */
  async prepareFor(schema: CheckedOutputSchema | undefined): Promise<(() => RunOutput) | undefined> {
    if (!schema) return undefined;
    const { RunOutput } = await import("@pintle/agent/output");
    const { settings, emit } = this.#parts;
    return () =>
      new RunOutput({
        ...schema,
        maxRepairs: settings.get("output.maxRepairs"),
        strategyFor: (model) => this.#strategyFor(model),
        canForce: (model) =>
          !this.#unforceable.has(keyOf(model)) && takesForcedTool(model, this.#parts.models.thinkingLevel),
        obstacle: this.#parts.obstacle,
        onRejected: (rejection) => emit({ type: "output_rejected", ...rejection }),
      });
  }

  /** Passes the output to the agent loop. */
  readonly take = (): RunOutput | undefined => {
    this.#current = this.#next?.();
    this.#next = undefined;
    return this.#current;
  };

  /** Whether each request of the active run has an additional tool for the output. */
  get addsTool(): boolean {
    return this.#current !== undefined && this.#strategyFor(this.#parts.models.current) === "tool";
  }

  after(event: AgentEvent): void {
    if (event.type !== "agent_end") return;
    this.#current = undefined;
    this.#parts.schemas.ofRun = undefined;
  }

  /** Switches between native format and tool if a provider refuses the schema or the forced tool. */
  readonly next = async ({ state, failure, message }: Outcome): Promise<NextStep | undefined> => {
    const output = this.#current;
    const isRefusal = state === "failed" && failure?.kind === "invalid_request" && failure.status === 400;
    if (!output || !isRefusal) return undefined;
    const { current } = this.#parts.models;
    if (output.strategy === "native" && !this.#refusedFormat.has(keyOf(current))) {
      this.#refusedFormat.add(keyOf(current));
      const text = `${keyOf(current)} refused the output schema, so the run continues with a tool for the output: ${message.errorMessage ?? ""}`;
      this.#parts.emit({ type: "notice", level: "warning", message: text, source: "output" });
      return { kind: "retry" };
    }
    if (!output.isForced || this.#unforceable.has(keyOf(current))) return undefined;
    if (!/tool.?choice/i.test(message.errorMessage ?? "")) return undefined;
    this.#unforceable.add(keyOf(current));
    return { kind: "retry" };
  };

  #strategyFor(model: Model): OutputStrategy {
    const wanted = this.#parts.settings.get("output.strategy");
    if (wanted === "tool" || this.#refusedFormat.has(keyOf(model))) return "tool";
    const support = supportsOutputFormat(model);
    return support === "with-tools" || (wanted === "native" && support !== "none") ? "native" : "tool";
  }
}

function keyOf({ provider, id }: Model): string {
  return `${provider}/${id}`;
}
