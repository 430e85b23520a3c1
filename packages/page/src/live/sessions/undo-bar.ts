import { h, replaceChildren } from "../../dom.ts";

const SHOWN_MS = 20_000;

export interface UndoBar {
  readonly element: HTMLElement;
  offer(text: string, undo: () => void): void;
}

/** Shows the last action with a button to undo it. Takes the focus, because the element that had it is gone. */
export function createUndoBar(): UndoBar {
  const element = h("div", { class: "undo-bar" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const clear = () => replaceChildren(element);
  return {
    element,
    offer(text, undo) {
      clearTimeout(timer);
      const button = h(
        "button",
        {
          type: "button",
          class: "small-button",
          onclick: () => {
            clearTimeout(timer);
            clear();
            undo();
          },
        },
        "Undo",
      );
      replaceChildren(element, h("span", {}, text), button);
      button.focus();
      timer = setTimeout(clear, SHOWN_MS);
    },
  };
}
