import type { BriefSessionState, EffectiveSetting, GatewaySession } from "@pintle/client/core";
import { type Child, h, replaceChildren } from "../../dom.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

type Rpc = GatewaySession;

/** The settings that can be changed for this session, with their possible values. */
const CONTROLS: readonly {
  label: string;
  values: Readonly<Record<string, string>>;
  read(state: BriefSessionState): string;
  set(rpc: Rpc, value: string): Promise<unknown>;
}[] = [
  {
    label: "Sandbox for commands",
    values: {
      auto: "follows the permissions",
      "workspace-write": "can write in the workspace",
      "read-only": "read-only",
      off: "none",
    },
    read: ({ sandbox }) => sandbox.mode,
    set: (rpc, value) => rpc.setSandboxMode(value as Parameters<Rpc["setSandboxMode"]>[0]),
  },
  {
    label: "When the context is nearly full",
    values: { true: "compact it automatically", false: "leave it" },
    read: ({ autoCompactionEnabled }) => String(autoCompactionEnabled),
    set: (rpc, value) => rpc.setAutoCompaction(value === "true"),
  },
  {
    label: "A steering message",
    values: { wait: "waits for the end of the turn", immediate: "interrupts running tools" },
    read: ({ interruptMode }) => interruptMode,
    set: (rpc, value) => rpc.setInterruptMode(value as BriefSessionState["interruptMode"]),
  },
  {
    label: "Queued steering messages",
    values: { "one-at-a-time": "one at a time", all: "all at once" },
    read: ({ steeringMode }) => steeringMode,
    set: (rpc, value) => rpc.setSteeringMode(value as BriefSessionState["steeringMode"]),
  },
  {
    label: "Queued follow-ups",
    values: { "one-at-a-time": "one at a time", all: "all at once" },
    read: ({ followUpMode }) => followUpMode,
    set: (rpc, value) => rpc.setFollowUpMode(value as BriefSessionState["followUpMode"]),
  },
];

export interface SettingsDialog {
  readonly element: HTMLDialogElement;
  open(session: OpenSession): Promise<void>;
}

/** Shows the settings of this session, and which of them differ from the defaults. */
export function createSettingsDialog(act: LiveApp["act"]): SettingsDialog {
  const body = h("div", { class: "settings-body" });
  const element = h(
    "dialog",
    { class: "choice-dialog settings", "aria-labelledby": "settings-title" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "settings-title" }, "Settings of this session"),
      h("button", { class: "quiet-button", "aria-label": "Close" }, "✕"),
    ),
    body,
  );
  return {
    element,
    async open({ rpc }) {
      const [state, { settings }] = await Promise.all([rpc.getState({ brief: true }), rpc.getSettings()]);
      replaceChildren(
        body,
        CONTROLS.map(({ label, values, read, set }, at) => {
          const now = read(state);
          const field = h(
            "select",
            { id: `setting-${at}`, class: "picker", onchange: () => act(label, () => set(rpc, field.value)) },
            Object.entries(values).map(([value, text]) => h("option", { value, selected: value === now }, text)),
          );
          return h("p", { class: "setting" }, h("label", { for: `setting-${at}` }, label), field);
        }),
        changed(settings),
      );
      element.showModal();
    },
  };
}

function changed(settings: readonly EffectiveSetting[]): Child {
  const own = settings.filter(({ source, value }) => source !== "default" && value !== undefined);
  return [
    h("h3", {}, "Set elsewhere"),
    own.length === 0
      ? h("p", {}, "All settings have their defaults.")
      : h(
          "dl",
          { class: "set-elsewhere" },
          own.map(({ key, value, source, meaning }) => [
            h("dt", { title: meaning }, h("code", {}, key)),
            h("dd", {}, h("code", {}, JSON.stringify(value)), ` (${source})`),
          ]),
        ),
  ];
}
