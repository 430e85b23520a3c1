import { h, svg } from "../../dom.ts";

export interface Attention {
  /** The button that asks the browser for permission, which needs a click. Removed once that is decided. */
  readonly button: HTMLElement;
  /** Called when something waits for the user. Notifies them outside the page if the page is hidden. */
  call(id: string, title: string, text: string): void;
  /** Called when the question is closed. */
  over(id: string): void;
}

/** Browser notifications. */
export function createAttention(): Attention {
  const open = new Map<string, Notification>();
  const isOffered = () => "Notification" in window && Notification.permission === "default";
  const button = h(
    "button",
    {
      type: "button",
      class: "quiet-button",
      title: "Notify me when something waits",
      "aria-label": "Notify me when something waits",
      hidden: !isOffered(),
      onclick: async () => {
        await Notification.requestPermission();
        button.hidden = !isOffered();
      },
    },
    svg(
      "svg",
      { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", fill: "none", stroke: "currentColor" },
      svg("path", { d: "M3 11.5h10l-1.5-2V7a3.5 3.5 0 0 0-7 0v2.5zM6.5 13.5a1.5 1.5 0 0 0 3 0", "stroke-width": 1.3 }),
    ),
  );
  return {
    button,
    call(id, title, body) {
      if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
      try {
        const notification = new Notification(title, { body, tag: id });
        notification.onclick = () => {
          window.focus();
          notification.close();
        };
        open.set(id, notification);
      } catch {
        // On phones, browsers allow only service workers to notify; there the page's title shows it.
      }
    },
    over(id) {
      open.get(id)?.close();
      open.delete(id);
    },
  };
}
