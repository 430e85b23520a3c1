import { h, replaceChildren, svg } from "../dom.ts";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 1500;

const SIGNS = {
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  copied: "M3 8.5l3.5 3.5L13 4.5",
  failed: "M4 4l8 8M12 4l-8 8",
} as const;

/**
 * Copies a part of the page: code, an answer, a command, a diff. The button has an icon and no text, because it is inside
 * content that users select, search and print.
 */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const button = h("button", { type: "button", class: "copy-button" });
  const show = (sign: keyof typeof SIGNS, label: string) => {
    replaceChildren(button, drawing(SIGNS[sign]));
    for (const name of ["aria-label", "title"]) button.setAttribute(name, label);
    button.dataset.state = sign;
  };
  const reset = () => show("copy", `Copy ${what}`);
  button.addEventListener("click", (event) => {
    // In a summary, a click would also open or close its content.
    event.preventDefault();
    clearTimeout(timer);
    copyText(text())
      .then(() => show("copied", "Copied"))
      .catch(() => show("failed", "The browser does not allow copying"))
      .finally(() => {
        timer = setTimeout(reset, SHOWN_MS);
      });
  });
  reset();
  return button;
}

function drawing(path: string): SVGElement {
  return svg(
    "svg",
    { viewBox: "0 0 16 16", width: 14, height: 14, "aria-hidden": "true", fill: "none", stroke: "currentColor" },
    svg("path", { d: path, "stroke-width": 1.3, "stroke-linecap": "round", "stroke-linejoin": "round" }),
  );
}
