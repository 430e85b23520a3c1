import { h, replaceChildren } from "../../dom.ts";
import { createDrawer } from "../../frame/drawer.ts";
import { createTheme, type Theme } from "../../frame/theme.ts";
import type { LivePart } from "../app.ts";
import { pageTitle } from "./page-title.ts";

const SIGNS: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

/** The top bar: the button for the sessions on small windows, the session name and the theme. */
export const bar: LivePart = ({ layout, session }) => {
  const drawer = createDrawer(layout.sidebar, () => focusFirst(layout.sidebar), "Sessions");
  layout.barStart.append(drawer.button);
  document.body.append(drawer.backdrop);
  session.onChange(() => drawer.close());
  layout.sidebar.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") drawer.close();
  });

  const theme = createTheme();
  const button = h("button", { type: "button", class: "quiet-button", onclick: () => name(theme.next()) });
  const name = (current: Theme) => {
    replaceChildren(button, SIGNS[current]);
    for (const attribute of ["aria-label", "title"]) button.setAttribute(attribute, `Colours: ${current}`);
  };
  name(theme.current());
  layout.barEnd.append(button);

  const title = (text: string) => {
    replaceChildren(layout.title, text);
    pageTitle.name(text);
  };
  session.watch((opened) => {
    title("pintle");
    opened?.facts.name.watch((name) => title(name ?? "pintle"), opened.signal);
  });
};

function focusFirst(panel: HTMLElement): void {
  panel.querySelector<HTMLElement>("input, button, a[href], [tabindex='0']")?.focus();
}
