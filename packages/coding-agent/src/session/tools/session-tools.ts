import { deriveTool, type Tool, type ToolCaller } from "@pintle/agent";
import { type Model, maxToolsOf } from "@pintle/ai";
import type { LazySandbox } from "@pintle/exec";
import type { AgentSessionEvent, SessionEntry } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { BackgroundJobs } from "../../jobs/background-jobs.ts";
import type { ApprovedPaths } from "../../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../../permissions/approved-scripts.ts";
import { type Previews, unwatched } from "../../previews/previews.ts";
import { ASKING_TOOL_NAMES, type BuiltinContext, createBuiltinTools } from "../../tools/builtin-tools.ts";
import { createTool } from "../../tools/define-tool.ts";
import { resolveTool } from "../../tools/resolve.ts";
import type { Delegation } from "../../tools/task.ts";
import type { TodoWriteContext } from "../../tools/todo-write.ts";
import type { TraceOf } from "../../traces/trace-headers.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { ModelState } from "../models/model-state.ts";
import type { SessionProcesses } from "../processes/session-processes.ts";
import { LATE_TOOL_NAME, lateToolCall, SEARCH_TOOL_NAME, toolSearch } from "./late-tools.ts";
import { hasSeenFile } from "./seen-files.ts";
import { type RegisteredTool, ToolRegistry, type ToolSource } from "./tool-registry.ts";
import type { ToolSelection } from "./tool-selection.ts";
import { type DivisionFacts, divideTools, type LateTools, mergeTools, type ToolView } from "./tool-view.ts";

export interface SessionToolsParts {
  settings: Settings;
  host: AttachedHost;
  /** The configuration directory of pintle. */
  home: string;
  cwd(): string;
  /** Returns the entries on the path to the leaf. */
  history(): readonly SessionEntry[];
  processes: SessionProcesses;
  sandbox: LazySandbox | undefined;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  models: ModelState;
  selection?: ToolSelection;
  previews: Previews;
  todos: TodoWriteContext;
  /** Starts subagents. */
  delegation: Delegation;
  /** What requests declare, whatever the tools are: of a subagent that continues the conversation of its parent. */
  declared?: readonly Tool[] | undefined;
  /** Additional tools of the program that embeds the session. */
  tools: readonly Tool[];
  /** Returns true if no provider has the conversation in its cache. */
  isCold(): boolean;
  traceOf: TraceOf;
  /** Returns how many tools a request has besides those in its list; a provider's limit includes them. */
  reservedTools(): number;
  /** Called with each file that is about to be changed. */
  beforeWrite(real: string, toolCallId?: string): void;
  emit(event: AgentSessionEvent): void;
}

/** The facts that a view depends on. A new view is created when one of them changes. */
type ViewFacts = Pick<DivisionFacts, "deferAbove" | "maxTools" | "isCold" | "loaded" | "sent"> & {
  /** The version of the registry. */
  version: number;
  lateTools: LateTools;
  needsResolve: boolean;
};

/** How many of the tools that the model looked up last are declared once that costs nothing. */
const MAX_LOADED = 32;

/** The tools of a session: which exist, which the model is offered, and which changes they have staged. */
export class SessionTools {
  readonly registry: ToolRegistry;
  readonly previews: Previews;
  readonly #parts: SessionToolsParts;
  readonly #resolve: Tool;
  readonly #search: Tool;
  readonly #callLate: Tool;
  #builtin: BuiltinContext;
  #known: { facts: ViewFacts; view: ToolView } | undefined;
  /** The tools that the newest request declared. */
  #sent: readonly Tool[] | undefined;
  #loaded: readonly string[] = [];
  #isMany = false;
  /** True once a tool was deferred. The tools that find and call it then stay, because providers cache the list. */
  #hasDeferred = false;
  /** True once `resolve` was needed; it stays for the same reason. */
  #needsResolve = false;
  #reportedHeld: readonly string[] = [];
  #reportedLimit = "";

  constructor(parts: SessionToolsParts) {
    const { settings, host, models, processes, previews } = parts;
    this.#parts = parts;
    this.registry = new ToolRegistry(parts.selection);
    this.previews = previews;
    this.#resolve = createTool(resolveTool, this.previews);
    this.#search = toolSearch(
      () => this.view.deferred,
      (names) => {
        this.#loaded = [...this.#loaded.filter((name) => !names.includes(name)), ...names].slice(-MAX_LOADED);
      },
    );
    this.#callLate = lateToolCall((name) =>
      [...this.view.deferred, ...this.registry.active()].find((tool) => tool.name === name),
    );
    this.#builtin = {
      cwd: parts.cwd,
      home: parts.home,
      settings,
      processRunner: () => processes.processRunner(),
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
      delegation: parts.delegation,
      select: (...args) => host.dialogs.select(...args),
      input: (...args) => host.dialogs.input(...args),
    };
    this.#offerBuiltin(this.#builtin);
    this.setCustom([]);
    host.onChange(() => {
      const { answersQuestions } = host;
      if (answersQuestions === undefined) return;
      for (const name of ASKING_TOOL_NAMES) this.registry.setOffered(name, answersQuestions);
    });
  }

  /** Offers background jobs: `bash` and `task` get other declarations, and the `job` tool is added. */
  offerJobs(jobs: BackgroundJobs): void {
    this.#builtin = { ...this.#builtin, jobs };
    this.#offerBuiltin(this.#builtin);
  }

  /** Declares `task` again, because the kinds of subagents have changed. */
  renewDelegation(): void {
    this.#offerBuiltin(this.#builtin);
  }

  /** Offers tools of the session that has started this subagent. They learn who calls them. */
  share(source: ToolSource, tools: readonly RegisteredTool[], caller: ToolCaller): void {
    this.registry.replace(
      source,
      tools.map((registered) => {
        const mayStage = source === "extension" || source === "custom";
        const tool = mayStage ? unwatched(registered.tool) : registered.tool;
        const execute: Tool["execute"] = (args, call) => tool.execute(args, { caller, ...call });
        const named = deriveTool(tool, { execute });
        return { ...registered, tool: mayStage ? this.previews.watch(named) : named };
      }),
    );
  }

  #offerBuiltin(context: BuiltinContext): void {
    this.registry.replace(
      "builtin",
      createBuiltinTools(context).map((registered) => ({ ...registered, tool: this.previews.watch(registered.tool) })),
    );
  }

  /** The current view of the tools. */
  get view(): ToolView {
    const facts = this.#facts();
    const known = this.#known;
    if (known && isSame(known.facts, facts)) return known.view;
    const view = this.#makeView(facts);
    const kept = known ? { ...view, active: orSame(known.view.active, view.active) } : view;
    const declared = orSame(facts.sent, orSame(known?.view.declared, kept.declared));
    this.#known = { facts: this.#facts(), view: { ...kept, declared } }; // creating a view may add a tool permanently
    return this.#known.view;
  }

  /** Returns the tools for a request that is about to be sent. */
  declare(): readonly Tool[] {
    const { declared, held, announced, overLimit } = this.view;
    this.#reportLimit(overLimit);
    this.#sent = declared;
    if (announced.length === 0) this.#reportHeld(held.map(({ name }) => name));
    return declared;
  }

  #facts(): ViewFacts {
    const { settings, models, isCold, reservedTools } = this.#parts;
    const max = maxToolsOf(models.current);
    this.#needsResolve ||= this.previews.hasPending;
    return {
      version: this.registry.version,
      sent: this.#sent,
      loaded: this.#loaded,
      deferAbove: settings.get("mcp.deferAbove"),
      maxTools: max === undefined ? undefined : max - reservedTools(),
      isCold: isCold(),
      lateTools: settings.get("cache.lateTools"),
      needsResolve: this.#needsResolve && this.previews.decider === "model",
    };
  }

  #makeView(facts: ViewFacts): ToolView {
    const { registry } = this;
    const { sent, isCold } = facts;
    const all = registry.active();
    const mcpNames = registry.mcpNames();
    const division = divideTools(all, {
      ...facts,
      wasMany: this.#isMany,
      isMcp: (name) => mcpNames.has(name),
      isBuiltin: (name) => registry.isBuiltin(name),
    });
    this.#isMany = division.isMany;
    this.#hasDeferred ||= division.deferred.length > 0;
    this.#needsResolve ||= all.some((tool) => tool.deferrable);

    // Tools that call other tools are declared from the first request on or never, because they would be late themselves. A host
    // that turns off built-in tools declares only its own, and a list given with `--tools` is declared exactly.
    const wantsAnnounced = facts.lateTools === "announce" && this.#parts.selection?.only === undefined;
    const callsLate = sent
      ? sent.some(({ name }) => name === LATE_TOOL_NAME)
      : wantsAnnounced && all.some(({ name }) => registry.isBuiltin(name));
    const announces = wantsAnnounced && callsLate;
    const own = [
      ...(this.#hasDeferred ? [this.#search] : []),
      ...(this.#hasDeferred || callsLate ? [this.#callLate] : []),
      ...(this.#needsResolve && this.previews.decider === "model" ? [this.#resolve] : []),
    ];
    const wanted = [...division.declared, ...own];
    // Without a tool that calls them, undeclared late tools would be unreachable.
    const mode = facts.lateTools === "announce" && !announces ? "append" : facts.lateTools;
    const waits = (name: string) => !isCold && mode !== "append" && !NEVER_WAIT.has(name) && !registry.isBuiltin(name);
    const { declared: fixed } = this.#parts;
    const merged = sent ? mergeTools(sent, wanted, waits) : wanted;
    const declared = fixed ? mergeTools(fixed, wanted, () => true) : merged;
    const names = new Set(declared.map(({ name }) => name));
    const held = wanted.filter(({ name }) => !names.has(name));
    const { deferred, overLimit } = division;
    return { active: [...all, ...own], declared, held, announced: announces ? held : [], deferred, overLimit };
  }

  #reportLimit(count: number): void {
    const { models, emit } = this.#parts;
    const message = limitText(models.current, count);
    if (count === 0 || message === this.#reportedLimit) return;
    emit({ type: "notice", level: "warning", message, source: "tools" });
    this.#reportedLimit = message;
  }

  /** Reports tools that wait and that the model cannot call. */
  #reportHeld(held: readonly string[]): void {
    const isNews = held.some((name) => !this.#reportedHeld.includes(name));
    this.#reportedHeld = held;
    if (isNews) this.#parts.emit({ type: "notice", level: "info", message: heldText(held), source: "cache" });
  }

  /** Replaces the tools of extensions. */
  setExtensions(tools: readonly RegisteredTool[]): void {
    this.registry.replace(
      "extension",
      tools.map((registered) => ({ ...registered, tool: this.previews.watch(registered.tool) })),
    );
  }

  /** Replaces the tools of MCP servers. */
  setMcp(tools: readonly { tool: Tool; server?: string }[]): void {
    this.registry.replace("mcp", tools);
  }

  /** Replaces the tools of users' modules. */
  setCustom(tools: readonly RegisteredTool[]): void {
    this.registry.replace(
      "custom",
      [...this.#parts.tools.map((tool) => ({ tool })), ...tools].map((registered) => ({
        ...registered,
        tool: this.previews.watch(registered.tool),
      })),
    );
  }
}

/** Tools that are never deferred, because other tools cannot be used without them. */
const NEVER_WAIT: ReadonlySet<string> = new Set([resolveTool.name, LATE_TOOL_NAME, SEARCH_TOOL_NAME]);

function isSame(one: ViewFacts, other: ViewFacts): boolean {
  for (const key of FACTS) if (one[key] !== other[key]) return false;
  return true;
}

/** Lists the keys once, because every look at the tools compares the facts. */
const FACTS = Object.keys({
  version: true,
  sent: true,
  loaded: true,
  deferAbove: true,
  maxTools: true,
  isCold: true,
  lateTools: true,
  needsResolve: true,
} satisfies Record<keyof ViewFacts, true>) as (keyof ViewFacts)[];

/** Returns the earlier list if both hold the same tools in the same order. */
function orSame(earlier: readonly Tool[] | undefined, list: readonly Tool[]): readonly Tool[] {
  return earlier?.length === list.length && list.every((tool, index) => tool === earlier[index]) ? earlier : list;
}

function limitText(model: Model, count: number): string {
  const many = `${count} of the tools are not declared; the model finds them with ${SEARCH_TOOL_NAME}`;
  return `${model.provider}/${model.id} takes at most ${maxToolsOf(model)} tools in a request: ${many}.`;
}

function heldText(names: readonly string[]): string {
  return `Tools wait until the conversation leaves the provider's cache (cache.lateTools is "hold"): ${names.join(", ")}`;
}
