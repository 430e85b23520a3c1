import type { CustomToolSessionEvent } from "../api/tool-types.ts";
import type { ModuleInstance } from "../loading/generation.ts";
import { adaptTool, requireContext } from "./adapt-tool.ts";
import { checkTool } from "./check-tool.ts";
import type { CustomToolBinding } from "./custom-tool-api.ts";
import type { SessionListener } from "./notify-tools.ts";

/** A tool of a module, ready for the registry. */
export interface RegisteredTool extends SessionListener {
  tool: ReturnType<typeof adaptTool>;
  isHidden: boolean;
}

interface ToolModuleParts {
  path: string;
  /** What the factory gave: a tool or a list of tools. */
  made: unknown;
  binding: CustomToolBinding;
  isTaken(name: string): boolean;
}

/** One run of the factory of a tool module. */
export class ToolModule implements ModuleInstance {
  isActive = false;
  readonly loadFaults: string[] = [];
  readonly tools: RegisteredTool[] = [];
  readonly #parts: ToolModuleParts;

  constructor(parts: ToolModuleParts) {
    this.#parts = parts;
  }

  /** The first module has a name. A tool that cannot join is a fault; its siblings can. */
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
    if (isTaken(name)) return `Tool name "${name}" is taken by a tool that is not a custom one`;
    return {
      tool: adaptTool(checked, binding),
      isHidden,
      path,
      onSession: (event: CustomToolSessionEvent) => declaration.onSession?.(event, requireContext(binding)),
    };
  }
}
