import type { Tool } from "@pintle/agent";
import type { LoadFault } from "../modules/load-fault.ts";
import type { Loaded } from "../modules/load-together.ts";
import { adaptTool } from "./adapt-tool.ts";
import type { CustomToolBinding } from "./api.ts";
import { type CheckedTool, type CheckSchema, checkTool } from "./check-tool.ts";
import type { CustomToolSource } from "./discovery.ts";
import type { SessionListener } from "./notify-session.ts";

export interface LoadedTool {
  tool: Tool;
  isHidden: boolean;
  /** Of its module. */
  path: string;
}

/** What one or more modules brought. */
export interface Joined {
  tools: LoadedTool[];
  errors: LoadFault[];
}

export interface JoinRules {
  binding: CustomToolBinding;
  checkSchema: CheckSchema;
  /** Whether a tool that is not a custom one has this name. Asked when a tool joins. */
  isTaken(name: string): boolean;
}

type Member = LoadedTool & SessionListener & { source: CustomToolSource };

/** The custom tools of a session; who comes first has the name. */
export class JoinedTools {
  readonly #rules: JoinRules;
  readonly #members: Member[] = [];

  constructor(rules: JoinRules) {
    this.#rules = rules;
  }

  /** Takes what a module brought. A tool that cannot join is an error; its siblings can. */
  join(loaded: Loaded<CustomToolSource, unknown[]>): Joined {
    const { path } = loaded.source;
    if ("error" in loaded) return { tools: [], errors: [{ path, error: loaded.error }] };
    const joined: Joined = { tools: [], errors: [] };
    for (const value of loaded.value) {
      const member = this.#admit(value, loaded.source);
      if (typeof member === "string") joined.errors.push({ path, error: member });
      else joined.tools.push(member);
    }
    return joined;
  }

  /** In the order of these sources. */
  list(sources: readonly CustomToolSource[]): LoadedTool[] {
    return [...this.#members].sort((a, b) => sources.indexOf(a.source) - sources.indexOf(b.source)).map(asLoadedTool);
  }

  listeners(paths?: ReadonlySet<string>): SessionListener[] {
    return this.#members.filter(({ path }) => paths?.has(path) ?? true);
  }

  #admit(value: unknown, source: CustomToolSource): LoadedTool | string {
    const checked = checkTool(value, this.#rules.checkSchema);
    if (typeof checked === "string") return checked;
    const owner = this.#ownerOf(checked);
    if (owner !== undefined) return `Tool name "${checked.name}" is taken by ${owner}`;
    const member: Member = {
      tool: adaptTool(checked, this.#rules.binding),
      isHidden: checked.isHidden,
      path: source.path,
      declaration: checked.declaration,
      source,
    };
    this.#members.push(member);
    return asLoadedTool(member);
  }

  #ownerOf({ name }: CheckedTool): string | undefined {
    const other = this.#members.find(({ tool }) => tool.name === name);
    if (other) return other.path;
    return this.#rules.isTaken(name) ? "a tool that is not a custom one" : undefined;
  }
}

const asLoadedTool = ({ tool, isHidden, path }: Member): LoadedTool => ({ tool, isHidden, path });
