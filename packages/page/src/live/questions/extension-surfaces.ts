import { h, replaceChildren } from "../../dom.ts";
import type { Announcement } from "./attach-questions.ts";

export interface Surfaces {
  /** Statuses and widgets of extensions. */
  readonly status: HTMLElement;
  readonly above: HTMLElement;
  readonly below: HTMLElement;
  show(announcement: Announcement): void;
  /** Called when another session is shown. */
  clear(): void;
}

export interface SurfaceEvents {
  notify(text: string): void;
  title(text: string): void;
  editorText(text: string): void;
}

const MOST_LINES = 12;
const SIGNS: Readonly<Record<string, string>> = { warning: "Warning: ", error: "Error: " };

/**
 * Shows what extensions display besides questions: a message, a status line, lines around the message field, a title.
 */
export function createSurfaces(events: SurfaceEvents): Surfaces {
  const statuses = new Map<string, string>();
  const widgets = { aboveEditor: new Map<string, string[]>(), belowEditor: new Map<string, string[]>() };
  const status = h("span", { class: "extension-status" });
  const [above, below] = [h("div", { class: "widgets" }), h("div", { class: "widgets" })];

  function drawWidgets(): void {
    for (const [place, kept] of [
      [above, widgets.aboveEditor],
      [below, widgets.belowEditor],
    ] as const)
      replaceChildren(
        place,
        [...kept.values()].map((lines) => h("pre", { class: "widget" }, lines.slice(0, MOST_LINES).join("\n"))),
      );
  }
  function drawStatus(): void {
    replaceChildren(
      status,
      [...statuses.values()].map((text) => h("span", {}, text)),
    );
  }

  const SHOWN: { [M in Announcement["method"]]: (announcement: Extract<Announcement, { method: M }>) => void } = {
    notify: ({ message, notifyType = "info" }) => events.notify(`${SIGNS[notifyType] ?? ""}${message}`),
    setStatus({ statusKey, statusText }) {
      if (statusText === undefined || statusText === "") statuses.delete(statusKey);
      else statuses.set(statusKey, statusText);
      drawStatus();
    },
    setWidget({ widgetKey, widgetLines, widgetPlacement = "aboveEditor" }) {
      for (const kept of Object.values(widgets)) kept.delete(widgetKey);
      if (widgetLines) widgets[widgetPlacement].set(widgetKey, widgetLines);
      drawWidgets();
    },
    setTitle: ({ title }) => events.title(title),
    set_editor_text: ({ text }) => events.editorText(text),
  };
  return {
    status,
    above,
    below,
    show(announcement) {
      const shown = SHOWN[announcement.method] as (announcement: Announcement) => void;
      shown(announcement);
    },
    clear() {
      statuses.clear();
      for (const kept of Object.values(widgets)) kept.clear();
      drawStatus();
      drawWidgets();
    },
  };
}
