import type { Tool } from "@pintle/agent";
import type { CustomToolContext } from "../api/session-types.ts";
import { progressOf, toToolResult } from "../api/tool-results.ts";
import type { CustomToolSessionEvent } from "../api/tool-types.ts";
import type { ModuleInstance } from "../loading/generation.ts";
import { asUsersCode } from "../loading/watchdog.ts";
import { type CheckedTool, checkTool } from "./check-tool.ts";
import type { CustomToolBinding } from "./custom-tool-api.ts";
import type { SessionListener } from "./notify-tools.ts";

/** A module's tool, ready for the registry. */
export interface RegisteredTool extends SessionListener {
  tool: ReturnType<typeof adaptTool>;
  isHidden: boolean;
}

interface ToolModuleParts {
  path: string;
  /** The factory's result: a tool or a list of tools. */
  made: unknown;
  binding: CustomToolBinding;
  isTaken(name: string): boolean;
}

/** One run of a tool module's factory. */
export class ToolModule implements ModuleInstance {
  isActive = false;
  readonly loadFaults: string[] = [];
  readonly tools: RegisteredTool[] = [];
  readonly #parts: ToolModuleParts;

  constructor(parts: ToolModuleParts) {
    this.#parts = parts;
  }

  /**
   * Registers the tools. The first module with a name keeps it. A tool that cannot join is reported; the module's other tools
   * still join.
   */
  join(others: readonly ToolModule[]): void {
    const { made } = this.#parts;
    for (const value of Array.isArray(made) ? made : [made]) {
      const tool = this.#register(value, others);
      if (typeof tool === "string") this.loadFaults.push(tool);
      else this.tools.push(tool);
    }
  }

  retire(): void {
    this.isActive = false;
  }

  #register(value: unknown, others: readonly ToolModule[]): RegisteredTool | string {
    const { path, binding, isTaken } = this.#parts;
    const checked = checkTool(value);
    if (typeof checked === "string") return checked;
    const { name, isHidden, declaration } = checked;
    const owner = [...others, this].flatMap(({ tools }) => tools).find(({ tool }) => tool.name === name);
    if (owner) return `Tool name "${name}" is taken by ${owner.path}`;
    if (isTaken(name)) return `Tool name "${name}" is already used by a tool that is not a custom tool`;
    return {
      tool: adaptTool(checked, binding),
      isHidden,
      path,
      onSession: (event: CustomToolSessionEvent) => declaration.onSession?.(event, requireContext(binding)),
    };
  }
}

/** Converts a custom tool to the form that the loop uses. */
export function adaptTool(checked: CheckedTool, binding: CustomToolBinding): Tool {
  const { name, label, description, parameters, isDeferrable, texts, declaration } = checked;
  return {
    name,
    label,
    description,
    parameters,
    ...texts,
    ...(isDeferrable && { deferrable: true }),
    async execute(args, call) {
      const onUpdate = progressOf(call);
      const context = requireContext(binding);
      const run = () => declaration.execute(call.id, args, onUpdate, context, call.signal);
      return toToolResult(await asUsersCode(`the tool ${name}`, run));
    },
  };
}

function requireContext({ context }: CustomToolBinding): CustomToolContext {
  if (!context) throw new Error("Custom tools cannot be called before the session has started.");
  return context();
}
