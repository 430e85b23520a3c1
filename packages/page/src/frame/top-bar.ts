import { h, replaceChildren } from "../dom.ts";
import type { createTheme, Theme } from "./theme.ts";

const SIGNS: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

export interface TopBar {
  readonly element: HTMLElement;
  changeTheme(): Theme;
}

export function createTopBar(
  title: string,
  theme: ReturnType<typeof createTheme>,
  { before, showKeys }: { before: HTMLElement; showKeys(): void },
): TopBar {
  const button = (label: string, onclick: () => void) =>
    h("button", { type: "button", class: "quiet-button", "aria-label": label, title: label, onclick }, "?");
  const themeButton = button("", () => changeTheme());
  const nameTheme = () => {
    const label = `Colors: ${theme.current()} (d)`;
    replaceChildren(themeButton, SIGNS[theme.current()]);
    for (const name of ["aria-label", "title"]) themeButton.setAttribute(name, label);
  };
  const changeTheme = () => {
    const next = theme.next();
    nameTheme();
    return next;
  };
  nameTheme();
  return {
    element: h(
      "header",
      { class: "bar" },
      before,
      h("span", { class: "bar-title" }, title),
      themeButton,
      button("Keys (?)", showKeys),
    ),
    changeTheme,
  };
}
