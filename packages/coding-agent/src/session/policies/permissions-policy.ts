import type { AgentEvent, ToolAuthorizer } from "@pintle/agent";
import type { LazySandbox } from "@pintle/exec";
import type { SessionManager } from "@pintle/storage";
import { type AgentSessionEvent, PERMISSION_MODES, type PermissionMode, type PermissionRule } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { ApprovedPaths } from "../../permissions/approved-paths.ts";
import type { ApprovedScripts } from "../../permissions/approved-scripts.ts";
import type { PermissionAuthorizer, Resolution } from "../../permissions/authorizer.ts";
import type { Previews } from "../../previews/previews.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { FamilyParts } from "../family.ts";
import type { JudgeParts } from "../permissions/judge.ts";
import { permissionFacts } from "../permissions/permission-facts.ts";
import type { PolicyState } from "../permissions/policy-state.ts";
import type { RunResults } from "../results/run-results.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { RestoreCause, RunPolicy } from "./policy.ts";

function stricterMode(one: PermissionMode, other: PermissionMode): PermissionMode {
  return PERMISSION_MODES[Math.min(PERMISSION_MODES.indexOf(one), PERMISSION_MODES.indexOf(other))] ?? "plan";
}

/** The type of the entries that record decisions. */
const AUDIT_TYPE = "approval";

export interface PermissionsPolicyParts {
  settings: Settings;
  host: AttachedHost;
  cwd(): string;
  state: PolicyState;
  registry: ToolRegistry;
  sandbox: LazySandbox;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  previews: Previews;
  results: Pick<RunResults, "active">;
  manager(): SessionManager;
  /** Set in the session of a subagent. */
  family?: Pick<FamilyParts, "permissionMode" | "onDenial" | "onStop"> | undefined;
  emit(event: AgentSessionEvent): void;
}

/**
 * Decides each tool call by preset and rules, and asks the host if they require it. The code that decides is loaded
 * with the first call.
 */
export class PermissionsPolicy implements RunPolicy {
  readonly name = "permissions";
  readonly #parts: PermissionsPolicyParts;
  readonly #state: PolicyState;
  #authorizer: PermissionAuthorizer | undefined;
  #loading: Promise<PermissionAuthorizer> | undefined;

  constructor(parts: PermissionsPolicyParts) {
    this.#parts = parts;
    this.#state = parts.state;
    // Subagents share the sandbox of their family, and their preset decides on each of their calls.
    if (!parts.family) parts.sandbox.mayEscalate = () => parts.host.canApprove && this.mode !== "plan";
  }

  readonly authorizer: ToolAuthorizer = {
    // Announcing and asking await the same load, so all calls are announced before the first question.
    announce: (calls, signal) => void this.#load().then((authorizer) => authorizer.announce(calls, signal)), // both throw nothing
    permit: async (call, signal) => (await this.#load()).permit(call, signal),
  };

  async prepare(): Promise<void> {
    this.#authorizer?.beginRun();
    // The verdict depends on the sandbox only in this preset.
    if (this.mode === "workspace") await this.#parts.sandbox?.probe();
  }

  before(event: AgentEvent): void {
    if (event.type === "agent_end") this.#authorizer?.endRun();
  }

  #load(): Promise<PermissionAuthorizer> {
    this.#loading ??= this.#create();
    return this.#loading;
  }

  async #create(): Promise<PermissionAuthorizer> {
    const [{ PermissionAuthorizer }, { judgeCall }] = await Promise.all([
      import("../../permissions/authorizer.ts"),
      import("../permissions/judge.ts"),
    ]);
    this.#authorizer = new PermissionAuthorizer({
      policy: () => this.#state.policy(),
      ownMode: this.#parts.family?.permissionMode,
      judge: (call) => judgeCall(call, this.#judgeParts()),
      approver: () => this.#parts.host.approve,
      onResolved: (resolution) => this.#record(resolution),
      addRules: (layer, rules) => this.#keep(layer, rules),
      approved: this.#parts.approved,
      scripts: this.#parts.scripts,
      // An invalid call fails with its own result, so its preview can be omitted.
      preview: async ({ tool, args }) => tool.preview?.(args).catch(() => undefined),
      maxDenials: () => this.#parts.settings.get("permissions.maxDenials"),
    });
    return this.#authorizer;
  }

  /** The preset; of a subagent, the stricter one of its own and its family's. */
  get mode(): PermissionMode {
    const own = this.#parts.family?.permissionMode;
    return own === undefined ? this.#state.mode : stricterMode(own, this.#state.mode);
  }

  set mode(mode: PermissionMode) {
    if (mode === this.#state.mode) return;
    this.#state.mode = mode;
    this.#parts.emit({ type: "permission_mode_changed", mode });
  }

  /** Describes the permissions for the model; empty if nothing restricts it. */
  facts(): string {
    const { host, sandbox, settings } = this.#parts;
    const { mode = "off", strength } = sandbox?.status ?? {};
    return permissionFacts({
      mode: this.mode,
      isAnswered: host.canApprove,
      sandbox: {
        mode: strength === "none" ? "off" : mode,
        network: settings.get("sandbox.network"),
        write: settings.get("sandbox.write"),
      },
      roots: settings.get("permissions.roots"),
    });
  }

  setHostRules(rules: readonly PermissionRule[]): void {
    this.#state.setHostRules(rules);
  }

  list(): ReturnType<PolicyState["list"]> {
    return this.#state.list();
  }

  /** Keeps approvals on another branch of the session; another session starts without any. */
  restore(cause: RestoreCause): void {
    if (cause === "new" || cause === "resume") this.#state.forgetSessionRules();
  }

  #judgeParts(): JudgeParts {
    const { host, cwd, registry, previews, sandbox, settings } = this.#parts;
    const { isInside, containsKeys } = this.#state.policy();
    return {
      cwd,
      isInside,
      containsKeys,
      originOf: (tool) => registry.originOf(tool),
      isAnswered: () => host.answersApprovals,
      isSandboxed: () => sandbox?.isFull ?? false,
      hasSandbox: () => (sandbox?.mode ?? "off") !== "off",
      readsCommands: () => this.#state.readsCommands,
      shellPath: () => settings.get("shellPath"),
      isHostUri: (path) => host.workplace.uris?.resolves(path) ?? false,
      previewedPaths: () => previews.newest?.paths,
    };
  }

  async #keep(layer: "session" | "user", rules: readonly PermissionRule[]): Promise<void> {
    if (rules.length === 0) return;
    if (layer === "session") this.#state.addSessionRules(rules);
    else await this.#state.addUserRules(rules);
  }

  /** Reports and stores decisions, except those of a preset: that would be an entry per call. */
  #record({ request, decision, by, rule, layer, reason }: Resolution): void {
    if (layer === "mode" && decision === "allow_once") return;
    const { toolCallId, tool, title, kind } = request;
    if (!decision.startsWith("allow")) {
      const cause = { ...(rule && { rule }), ...(layer !== undefined && { layer }) };
      const denial = { toolCallId, tool, kind, by, reason, ...cause };
      this.#parts.results.active?.addDenial(denial);
      this.#parts.family?.onDenial(denial);
      if (decision === "deny_and_stop") this.#parts.family?.onStop();
    }
    const facts = { toolCallId, decision, by, ...(rule && { rule }), ...(layer !== undefined && { layer }) };
    this.#parts.manager().appendCustom(AUDIT_TYPE, { ...facts, tool, title });
    this.#parts.emit({ type: "approval_resolved", ...facts });
  }
}
