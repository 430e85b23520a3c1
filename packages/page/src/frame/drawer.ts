import { h } from "../dom.ts";

export interface Drawer {
  /** What opens it, and what lies behind it. */
  readonly button: HTMLElement;
  readonly backdrop: HTMLElement;
  open(): void;
  close(): void;
  /** It lies over the conversation, because there is no room beside it. */
  isOver(): boolean;
}

/** On small windows the panel at the side is out of sight until it is asked for. */
export function createDrawer(panel: HTMLElement, onOpen: () => void, label = "Entries"): Drawer {
  const button = h(
    "button",
    {
      type: "button",
      class: "quiet-button side-button",
      "aria-label": label,
      "aria-expanded": "false",
      "aria-controls": panel.id,
      onclick: () => (isOpen() ? drawer.close() : drawer.open()),
    },
    "☰",
  );
  const isOpen = () => document.body.classList.contains("shows-side");
  const show = (shown: boolean) => {
    document.body.classList.toggle("shows-side", shown);
    button.setAttribute("aria-expanded", String(shown));
  };
  const drawer: Drawer = {
    button,
    backdrop: h("div", { class: "backdrop", onclick: () => drawer.close() }),
    open() {
      show(true);
      onOpen();
    },
    close() {
      const hadFocus = panel.contains(document.activeElement);
      show(false);
      if (hadFocus && drawer.isOver()) button.focus();
    },
    isOver: () => getComputedStyle(button).display !== "none",
  };
  return drawer;
}
