import { h } from "../dom.ts";

/** Shows omitted content. On paper, it states that content is omitted. */
export function moreButton(what: string, show: () => void): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "more", onclick: show },
    h("span", { class: "on-screen" }, "Show "),
    what,
    h("span", { class: "on-paper" }, " not printed"),
  );
}
