import { h, replaceChildren } from "../dom.ts";

const SHOWN_MS = 2500;

/** Confirms what a key did: shown for a moment, and announced to screen readers. */
export function createNotice(): { readonly element: HTMLElement; say(text: string): void } {
  const element = h("div", { class: "notice", role: "status", "aria-live": "polite" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    element,
    say(text) {
      clearTimeout(timer);
      replaceChildren(element, text);
      timer = setTimeout(() => replaceChildren(element), SHOWN_MS);
    },
  };
}
