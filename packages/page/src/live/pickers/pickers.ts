import type { PermissionMode, ThinkingLevel } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";
import { createChoiceDialog } from "./choice-dialog.ts";
import { createFullDialog } from "./full-dialog.ts";
import { createSettingsDialog } from "./settings-dialog.ts";
import { LEVELS, modelChoice, modelId, PRESETS, sandboxWords } from "./words.ts";

/** The model, thinking level, preset and sandbox of the session, and its other settings. */
export const pickers: LivePart = ({ layout, session, act, actions }) => {
  const withSession = (doing: string, change: (opened: OpenSession) => Promise<unknown>) => {
    const opened = session.value;
    if (opened) act(doing, () => change(opened));
  };
  const models = createChoiceDialog("Model", (chosen) =>
    withSession("Choosing the model", ({ rpc }) => {
      const at = chosen.indexOf("/");
      return rpc.setModel(chosen.slice(0, at), chosen.slice(at + 1));
    }),
  );
  const settings = createSettingsDialog(act);
  const full = createFullDialog();
  const model = h("button", {
    type: "button",
    class: "picker",
    "aria-haspopup": "dialog",
    onclick: () =>
      withSession("Reading the models", async ({ rpc, facts }) => {
        const { models: known } = await rpc.getAvailableModels();
        models.open(known.map(modelChoice), facts.model.value && modelId(facts.model.value));
      }),
  });
  const thinking = h("select", {
    class: "picker",
    "aria-label": "Thinking",
    onchange: () =>
      withSession("Changing the thinking level", ({ rpc }) => rpc.setThinkingLevel(thinking.value as ThinkingLevel)),
  });
  const preset = h(
    "select",
    {
      class: "picker",
      "aria-label": "Permissions",
      onchange: () =>
        withSession("Changing the permissions", async ({ rpc, facts }) => {
          const mode = preset.value as PermissionMode;
          try {
            if (mode !== "full" || (await full.confirm())) await rpc.setPermissionMode(mode);
          } finally {
            preset.value = facts.permissionMode.value; // the effective value, even if the change was refused
          }
        }),
    },
    Object.entries(PRESETS).map(([value, text]) => h("option", { value }, text)),
  );
  const sandbox = h("span", { class: "sandbox-strength" });
  const more = h(
    "button",
    {
      type: "button",
      class: "picker",
      "aria-haspopup": "dialog",
      "aria-label": "Settings of the session",
      onclick: () => withSession("Reading the settings", (opened) => settings.open(opened)),
    },
    "⚙",
  );
  const all = h("div", { class: "picker-row", hidden: true }, model, thinking, preset, sandbox, more);
  const isOpen = () => session.value !== undefined;
  actions.push(
    { label: "Choose a model", isOffered: isOpen, act: () => model.click() },
    { label: "Settings of this session", isOffered: isOpen, act: () => more.click() },
  );
  layout.pickers.append(all);
  document.body.append(models.element, settings.element, full.element);

  /** The available levels depend on the model. */
  async function offerLevels({ rpc, facts }: OpenSession): Promise<void> {
    const { levels } = await rpc.getAvailableThinkingLevels();
    replaceChildren(
      thinking,
      levels.map((value) => h("option", { value }, LEVELS[value])),
    );
    thinking.value = facts.thinkingLevel.value;
    thinking.hidden = levels.length < 2;
  }

  session.watch((opened) => {
    all.hidden = opened === undefined;
    if (!opened) return;
    const { facts, signal } = opened;
    facts.model.watch((now) => {
      replaceChildren(model, now ? now.name : "No model");
      model.title = now ? modelId(now) : "Choose a model";
      if (now) offerLevels(opened).catch(() => {}); // the process has ended, which is reported elsewhere
    }, signal);
    facts.thinkingLevel.watch((level) => {
      thinking.value = level;
    }, signal);
    facts.permissionMode.watch((mode) => {
      preset.value = mode;
      preset.classList.toggle("free", mode === "full");
    }, signal);
    facts.sandbox.watch((status) => {
      const words = status && sandboxWords(status);
      replaceChildren(sandbox, words?.short ?? "");
      sandbox.title = words?.long ?? "";
      sandbox.classList.toggle("bad", status?.mode === "off" || status?.strength === "none");
    }, signal);
  });
};
