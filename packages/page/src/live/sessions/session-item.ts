import type { ServedSession } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import { money } from "../../format.ts";
import { placeHash } from "../connection/address.ts";
import { ago, STATUSES, sessionTitle, shortDirectory } from "./session-rows.ts";

export interface SessionActions {
  rename(session: ServedSession, name: string): void;
  close(session: ServedSession): void;
  delete(session: ServedSession): void;
  export(session: ServedSession): void;
  copyLink(session: ServedSession): void;
}

export interface SessionItem {
  readonly element: HTMLElement;
  update(session: ServedSession, view: { roots: readonly string[]; isShown: boolean; now: number }): void;
  focus(): void;
}

/** A session in the list: a link to it, and its actions. The element stays the same when its facts change. */
export function createSessionItem(first: ServedSession, actions: SessionActions): SessionItem {
  let session = first;
  const title = h("span", { class: "session-title" });
  const facts = h("span", { class: "session-facts" });
  const sign = h("span", { class: "session-sign", "aria-hidden": "true" });
  const link = h(
    "a",
    { class: "session-link", href: placeHash({ session: first.sessionId }) },
    sign,
    h("span", { class: "session-words" }, title, facts),
  );
  const menu = h("div", { class: "session-actions", hidden: true });
  const toggle = h(
    "button",
    { type: "button", class: "quiet-button", "aria-expanded": "false", onclick: () => open(menu.hidden === true) },
    "⋯",
  );
  const element = h("li", { class: "session-item" }, h("div", { class: "session-line" }, link, toggle), menu);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu.hidden) return;
    event.stopPropagation();
    open(false);
    toggle.focus();
  });

  function open(isOpen: boolean): void {
    menu.hidden = !isOpen;
    toggle.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) showActions();
  }

  function showActions(): void {
    const action = (label: string, act: () => void) =>
      h("button", { type: "button", class: "small-button", onclick: act }, label);
    const last = (label: string, act: (session: ServedSession) => void) =>
      action(label, () => {
        open(false);
        toggle.focus();
        act(session);
      });
    const isOpen = session.status !== "stored";
    replaceChildren(
      menu,
      action("Rename", showName),
      last("Copy link", actions.copyLink),
      last("Export", actions.export),
      isOpen && last("Close", actions.close),
      last("Delete", actions.delete),
    );
  }

  function showName(): void {
    const field = h("input", { type: "text", "aria-label": "Name of the session", maxlength: 200 });
    field.value = session.name ?? sessionTitle(session);
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      if (field.value.trim() !== "") actions.rename(session, field.value.trim());
      open(false);
      toggle.focus();
    };
    replaceChildren(menu, h("form", { onsubmit: submit }, field, h("button", { class: "small-button" }, "Rename")));
    field.select();
  }

  return {
    element,
    focus: () => link.focus(),
    update(next, { roots, isShown, now }) {
      session = next;
      const name = sessionTitle(next);
      const { sign: mark, text } = STATUSES[next.status];
      const words = [
        ...(next.status === "stored" ? [] : [text]),
        shortDirectory(next.cwd, roots),
        ago(next.updatedAt, now),
        ...(next.cost ? [money(next.cost)] : []),
      ].join(" · ");
      if (title.textContent !== name) replaceChildren(title, name);
      if (facts.textContent !== words) replaceChildren(facts, words);
      replaceChildren(sign, mark);
      element.className = `session-item is-${next.status}`;
      if (isShown) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      link.title = next.cwd;
      toggle.setAttribute("aria-label", `Actions for ${name.slice(0, 80)}`);
    },
  };
}
