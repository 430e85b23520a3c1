import { h, replaceChildren } from "../../dom.ts";
import { createDrawer } from "../../frame/drawer.ts";
import { createTheme, type Theme } from "../../frame/theme.ts";
import type { LivePart } from "../app.ts";
import { placeName } from "../sessions/session-rows.ts";
import { pageTitle } from "./page-title.ts";

const SIGNS: Record<Theme, string> = { auto: "◐", light: "☀", dark: "☾" };

/** The top bar: the button for the sessions on small windows, the session name and the theme. */
export const bar: LivePart = ({ layout, session, list, actions }) => {
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
    for (const attribute of ["aria-label", "title"]) button.setAttribute(attribute, `Colors: ${current}`);
  };
  name(theme.current());
  layout.barEnd.append(button);

  actions.push({ label: "Change the colors: system, light, dark", act: () => name(theme.next()) });

  const place = h("span", { class: "bar-place" });
  layout.title.after(place);
  const showName = (text: string | undefined) => {
    replaceChildren(layout.title, text ?? "pintle");
    pageTitle.name(text);
  };
  const showPlace = (text: string, cwd = "") => {
    if (place.textContent === text) return;
    replaceChildren(place, text);
    place.title = cwd;
    pageTitle.place(text);
  };
  /** If the list does not contain the session at the moment, keeps the last known directory. */
  const findPlace = () => {
    const listed = list.listing.value.sessions.find(({ sessionId }) => sessionId === session.value?.id);
    if (listed) showPlace(placeName(listed), listed.cwd);
  };
  list.listing.onChange(findPlace);
  session.watch((opened) => {
    showName(undefined);
    showPlace("");
    findPlace();
    opened?.facts.name.watch(showName, opened.signal);
  });
};

function focusFirst(panel: HTMLElement): void {
  panel.querySelector<HTMLElement>("input, button, a[href], [tabindex='0']")?.focus();
}
