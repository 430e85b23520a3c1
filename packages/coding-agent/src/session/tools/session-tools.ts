import type { Tool } from "@pintle/agent";
import { type Model, maxToolsOf } from "@pintle/ai";
import type { AgentSessionEvent, SessionEntry } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { ApprovedPaths } from "../../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../../permissions/approved-scripts.ts";
import type { Previews } from "../../previews/previews.ts";
import type { LazySandbox } from "../../sandbox/lazy-sandbox.ts";
import { ASKING_TOOL_NAMES, createBuiltinTools } from "../../tools/builtin-tools.ts";
import { createTool } from "../../tools/define-tool.ts";
import { resolveTool } from "../../tools/resolve.ts";
import type { TodoWriteContext } from "../../tools/todo-write.ts";
import type { TraceOf } from "../../traces/trace-headers.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { ModelState } from "../models/model-state.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import { DeclaredTools, type LateTools } from "./declared-tools.ts";
import { DeferredTools } from "./deferred-tools.ts";
import { lateToolCall } from "./late-tool-call.ts";
import { LATE_TOOL_NAME, SEARCH_TOOL_NAME } from "./late-tool-names.ts";
import { hasSeenFile } from "./seen-files.ts";
import { ToolRegistry } from "./tool-registry.ts";
import { toolSearch } from "./tool-search.ts";
import type { ToolSelection } from "./tool-selection.ts";

export interface SessionToolsParts {
  settings: Settings;
  host: AttachedHost;
  /** pintle's own directory. */
  home: string;
  cwd(): string;
  /** Entries on the path to the leaf. */
  history(): readonly SessionEntry[];
  processes: SessionProcesses;
  sandbox: LazySandbox | undefined;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  models: ModelState;
  selection?: ToolSelection;
  previews: Previews;
  todos: TodoWriteContext;
  /** Further tools of the program that embeds the session. */
  tools: readonly Tool[];
  /** No provider has the conversation in its cache. */
  isCold(): boolean;
  traceOf: TraceOf;
  /** Tools of a request that are not in its list: the limit of a provider holds for them, too. */
  reservedTools(): number;
  /** Takes note of a file that is about to be changed. */
  beforeWrite(real: string): void;
  emit(event: AgentSessionEvent): void;
}

/** The tools of a session: which exist, which the model is offered, and the changes they have staged. */
export class SessionTools {
  readonly registry: ToolRegistry;
  readonly previews: Previews;
  readonly #declared: DeclaredTools;
  readonly #resolve: Tool;
  #callLate: Tool | undefined;
  readonly #deferred: DeferredTools;
  readonly #search: Tool;
  /** A tool was deferred: what finds and calls it stays, since providers cache the list of tools. */
  #hasDeferred = false;
  #toldLimit = "";
  readonly #tellLimit: (count: number) => void;
  readonly #wantsAnnounced: () => boolean;
  readonly #ownTools: readonly { tool: Tool }[];
  #needsResolve = false;
  /** By the list without them: the same list gives the same one. */
  readonly #withFurther = new WeakMap<readonly Tool[], readonly Tool[]>();

  constructor(parts: SessionToolsParts) {
    const { settings, host, models, processes, previews } = parts;
    this.registry = new ToolRegistry(parts.selection);
    this.previews = previews;
    this.#resolve = createTool(resolveTool, this.previews);
    this.#declared = new DeclaredTools({
      mode: () => (this.#announcesLate() ? "announce" : lateToolsMode(settings.get("cache.lateTools"))),
      isCold: parts.isCold,
      mayWait: (name) => !NEVER_WAIT.has(name) && !this.registry.isBuiltin(name),
      onHeld: (names) => {
        if (this.#announcesLate()) return; // the model is informed, and can call them
        parts.emit({ type: "notice", level: "info", message: heldText(names), source: "cache" });
      },
    });
    this.#deferred = new DeferredTools({
      deferAbove: () => settings.get("mcp.deferAbove"),
      maxTools: () => {
        const max = maxToolsOf(models.current);
        return max === undefined ? undefined : max - parts.reservedTools();
      },
      isCold: parts.isCold,
      isMcp: (name) => this.registry.mcpNames().has(name),
      isBuiltin: (name) => this.registry.isBuiltin(name),
      sent: () => this.#declared.sent,
    });
    this.#search = toolSearch({ deferred: () => this.deferred(), load: (names) => this.#deferred.load(names) });
    this.#tellLimit = (count) => {
      const message = limitText(models.current, count);
      if (count > 0 && message !== this.#toldLimit) {
        parts.emit({ type: "notice", level: "warning", message, source: "tools" });
        this.#toldLimit = message;
      }
    };
    const isListed = parts.selection?.only !== undefined;
    this.#wantsAnnounced = () => !isListed && settings.get("cache.lateTools") === "announce";
    const builtin = createBuiltinTools({
      cwd: parts.cwd,
      home: parts.home,
      settings,
      gateway: () => processes.gateway(),
      sandbox: parts.sandbox,
      approved: parts.approved,
      scripts: parts.scripts,
      newSpillPath: (tool) => processes.newSpillPath(tool),
      takesImages: () => models.current.input.includes("image"),
      hasSeen: (path) => hasSeenFile(path, parts.history(), parts.cwd()),
      pushPendingAction: (action) => this.previews.push(action),
      workplace: () => host.workplace,
      traceOf: parts.traceOf,
      beforeWrite: parts.beforeWrite,
      ...parts.todos,
      select: (...args) => host.dialogs.select(...args),
      input: (...args) => host.dialogs.input(...args),
    });
    this.registry.replace(
      "builtin",
      builtin.map((registered) => ({ ...registered, tool: this.previews.watch(registered.tool) })),
    );
    this.#ownTools = parts.tools.map((tool) => ({ tool }));
    this.setCustom([]);
    host.onChange(() => {
      const { answersQuestions } = host;
      if (answersQuestions === undefined) return;
      for (const name of ASKING_TOOL_NAMES) this.registry.setOffered(name, answersQuestions);
    });
  }

  /** What the model is to be offered; the same list as long as it holds the same. */
  active(): readonly Tool[] {
    return this.#withOwn(this.registry.active());
  }

  /** With the tools of the session's own, last. */
  #withOwn(active: readonly Tool[]): readonly Tool[] {
    // Stays once it was needed, since providers cache the list of tools. Last, so that its coming leaves the head as it was.
    this.#needsResolve ||= this.previews.hasPending || active.some((tool) => tool.deferrable);
    this.#hasDeferred ||= this.deferred().length > 0;
    const further = [
      ...(this.#hasDeferred ? [this.#search] : []),
      ...(this.#hasDeferred || this.#hasLateCaller ? [this.#lateCaller()] : []),
      ...(this.#needsResolve && this.previews.decider === "model" ? [this.#resolve] : []),
    ];
    if (further.length === 0) return active;
    const known = this.#withFurther.get(active);
    const isKnown = known?.length === active.length + further.length;
    if (isKnown && further.every((tool, index) => tool === known[active.length + index])) return known;
    const tools = [...active, ...further];
    this.#withFurther.set(active, tools);
    return tools;
  }

  /**
   * Whether requests declare what calls late tools: from the first one on or never, because it would be late itself. A host
   * without built-in tools declares its own alone, and a list given with `--tools` is declared exactly.
   */
  get #hasLateCaller(): boolean {
    const { sent } = this.#declared;
    if (sent) return sent.some(({ name }) => name === LATE_TOOL_NAME);
    return this.#wantsAnnounced() && this.registry.active().some(({ name }) => this.registry.isBuiltin(name));
  }

  #announcesLate(): boolean {
    return this.#wantsAnnounced() && this.#hasLateCaller;
  }

  #lateCaller(): Tool {
    this.#callLate ??= lateToolCall((name) =>
      [...this.deferred(), ...this.registry.active()].find((tool) => tool.name === name),
    );
    return this.#callLate;
  }

  /** Tools that the model can call although the next request does not declare them. */
  announced(): readonly Tool[] {
    return this.#announcesLate() ? this.#declared.held(this.#declarable()) : [];
  }

  /** Tools that requests do not declare because there are too many; the model can find and call them. */
  deferred(): readonly Tool[] {
    return this.#deferred.divide(this.registry.active()).deferred;
  }

  #declarable(): readonly Tool[] {
    return this.#withOwn(this.#deferred.divide(this.registry.active()).declared);
  }

  /** As the next request will declare them: in the order, and as far as the setting says, of those before it. */
  declared(): readonly Tool[] {
    return this.#declared.list(this.#declarable());
  }

  /** The same, for a request that goes out now. */
  declare(): readonly Tool[] {
    this.#tellLimit(this.#deferred.divide(this.registry.active()).overLimit);
    return this.#declared.send(this.#declarable());
  }

  /** Replaces those of extensions. */
  setExtensions(tools: readonly { tool: Tool; isHidden?: boolean }[]): void {
    this.registry.replace(
      "extension",
      tools.map((registered) => ({ ...registered, tool: this.previews.watch(registered.tool) })),
    );
  }

  /** Replaces those of MCP servers. */
  setMcp(tools: readonly { tool: Tool; server?: string }[]): void {
    this.registry.replace("mcp", tools);
  }

  /** Replaces those of users' modules. */
  setCustom(tools: readonly { tool: Tool; isHidden?: boolean }[]): void {
    this.registry.replace(
      "custom",
      [...this.#ownTools, ...tools].map((registered) => ({
        ...registered,
        tool: this.previews.watch(registered.tool),
      })),
    );
  }
}

/** The session's own: without them others could not be used. */
const NEVER_WAIT: ReadonlySet<string> = new Set([resolveTool.name, LATE_TOOL_NAME, SEARCH_TOOL_NAME]);

/** Without what calls them, late tools that are not declared would be out of reach. */
function lateToolsMode(mode: LateTools): LateTools {
  return mode === "announce" ? "append" : mode;
}

function limitText(model: Model, count: number): string {
  const many = `${count} of the tools are not declared, but found with ${SEARCH_TOOL_NAME}`;
  return `${model.provider}/${model.id} takes at most ${maxToolsOf(model)} tools in a request: ${many}.`;
}

function heldText(names: readonly string[]): string {
  return `Tools wait until the conversation leaves the provider's cache (cache.lateTools is "hold"): ${names.join(", ")}`;
}
