import { h } from "../dom.ts";

export interface Drawer {
  /** The button that opens it, and the content that it covers. */
  readonly button: HTMLElement;
  readonly backdrop: HTMLElement;
  open(): void;
  close(): void;
  /** On windows too narrow for both, it covers the conversation. */
  isOver(): boolean;
}

/** On small windows, the side panel is hidden until the reader opens it. */
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
