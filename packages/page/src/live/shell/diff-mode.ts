import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";

const KEY = "pintle-diff";
const MODES = { split: ["⇄", "side by side"], unified: ["±", "one under the other"] } as const;
type Mode = keyof typeof MODES;

/** How to show changes: old and new side by side, or one below the other. Narrow windows always use the latter. */
export const diffMode: LivePart = ({ layout, actions }) => {
  let mode = read();
  const button = h("button", { type: "button", class: "quiet-button diff-mode", onclick: () => change() });
  const show = () => {
    const [sign, words] = MODES[mode];
    document.documentElement.dataset.diff = mode;
    replaceChildren(button, sign);
    for (const name of ["aria-label", "title"]) button.setAttribute(name, `Changes: ${words}`);
  };
  const change = () => {
    mode = mode === "split" ? "unified" : "split";
    try {
      localStorage.setItem(KEY, mode);
    } catch {
      // storage is not allowed here, so the choice lasts as long as the page
    }
    show();
  };
  show();
  layout.barEnd.append(button);
  actions.push({ label: "Show changes side by side, or one under the other", act: change });
};

function read(): Mode {
  try {
    return localStorage.getItem(KEY) === "unified" ? "unified" : "split";
  } catch {
    return "split";
  }
}
