import type { ContextUsage, PermissionMode, RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import type { Style } from "../screen/theme.ts";
import { dollars } from "../status/amounts.ts";
import { gitBranch } from "../status/git-branch.ts";
import { shownText } from "../text/shown-text.ts";

/** The parts of the line and their order. */
const PARTS = {
  run: 5,
  model: 10,
  context: 20,
  cost: 30,
  permissions: 40,
  branch: 50,
  queue: 55,
  name: 60,
  hint: 90,
} as const;

/** Fills the status line: model, context, cost, preset, branch, queue; and lists the queued messages above the editor. */
export const sessionStatus: Feature = (app) => {
  const set = (key: keyof typeof PARTS, text: string | undefined, style?: Style) =>
    app.status.set(key, text, { weight: PARTS[key], isPinned: key === "permissions", ...(style && { style }) });
  const showPreset = (mode: PermissionMode) =>
    set("permissions", mode, mode === "full" ? (text) => app.theme.bold(app.theme.failure(text)) : undefined);
  set("run", "starting…");
  set("hint", "? for help");
  const facts = { model: "", thinking: "" };
  const showModel = () =>
    set(
      "model",
      facts.thinking === "" || facts.thinking === "off" ? facts.model : `${facts.model} (${facts.thinking})`,
    );
  const showBranch = () => {
    const { attach, cwd } = app.options;
    const branch = attach ? undefined : gitBranch(cwd);
    set("branch", branch && shownText(branch));
  };
  showBranch();
  const refresh = async (session: RpcCore) => {
    const { cost, contextUsage } = await session.getSessionStats();
    set("cost", cost > 0 ? dollars(cost) : undefined);
    set("context", contextText(contextUsage));
  };
  app.onSession((session) => {
    const renew = () => {
      refresh(session).catch((error) => app.report(error));
    };
    session.on("turn_end", renew);
    session.on("agent_settled", () => {
      showBranch();
      renew();
    });
    session.on("model_changed", ({ model }) => {
      facts.model = shownText(model.id);
      showModel();
      renew();
    });
    session.on("thinking_level_changed", ({ level }) => {
      facts.thinking = level;
      showModel();
    });
    session.on("permission_mode_changed", ({ mode }) => showPreset(mode));
    session.on("session_info_changed", ({ name }) => set("name", name && shownText(name)));
    session.on("queue_update", ({ steering, followUp }) => {
      const count = steering.length + followUp.length;
      set("queue", count === 0 ? undefined : `${count} queued`);
      showQueue(app, steering, followUp);
    });
  });
  app.onLost(() => {
    set("run", "starting again…");
    set("queue", undefined);
    showQueue(app, [], []);
  });
  app.onReady(async (session) => {
    const state = await session.getState({ brief: true });
    facts.model = state.model ? shownText(state.model.id) : "no model";
    facts.thinking = state.thinkingLevel;
    showModel();
    set("run", undefined);
    showPreset(state.permissionMode);
    set("name", state.sessionName && shownText(state.sessionName));
    if (state.interrupted) app.say("/continue resumes the run that was cut off.", "warning");
    await refresh(session);
  });
  app.keys.on("cycleThinking", () => {
    app.session?.cycleThinkingLevel().catch((error) => app.report(error));
  });
};

function contextText(usage: ContextUsage | undefined): string | undefined {
  if (!usage || usage.percent === null) return undefined;
  const size =
    usage.contextWindow >= 1_000_000
      ? `${usage.contextWindow / 1_000_000}M`
      : `${Math.round(usage.contextWindow / 1000)}k`;
  return `${Math.round(usage.percent)}% of ${size}`;
}

function showQueue(app: App, steering: readonly string[], followUp: readonly string[]): void {
  const line = (kind: string) => (text: string) =>
    app.theme.dim(`${kind}: ${shownText(text.slice(0, 500)).replaceAll("\n", " ⏎ ")}`);
  app.widgets.set("queue", [...steering.map(line("next")), ...followUp.map(line("then"))]);
}
