import { h, replaceChildren } from "../dom.ts";

const SHOWN_MS = 2500;

/** A word on what a key has done: seen for a moment, and read out to those who do not see it. */
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
