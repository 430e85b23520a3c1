import { h } from "../dom.ts";

/** Shows what was left out. On paper it says that it was: it cannot be pressed there. */
export function moreButton(what: string, show: () => void): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "more", onclick: show },
    h("span", { class: "on-screen" }, "Show "),
    what,
    h("span", { class: "on-paper" }, " not printed"),
  );
}
