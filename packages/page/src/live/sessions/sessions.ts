import type { ServedSession } from "@pintle/client/core";
import { copyText } from "../../copy/copy-text.ts";
import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";
import { createNewSessionForm } from "./new-session-form.ts";
import { groupSessions } from "./session-groups.ts";
import { createSessionItem, type SessionActions, type SessionItem } from "./session-item.ts";
import { knownDirectories, sessionTitle } from "./session-rows.ts";
import { downloadExport, shareLink } from "./share.ts";
import { createUndoBar } from "./undo-bar.ts";

const RENEW_MS = 4_000;
const TYPING_PAUSE_MS = 200;

/** Lists the server's sessions: search, open, rename, close, delete and restore. */
export const sessions: LivePart = (app) => {
  const { layout, gateway, act, say, list } = app;
  const undo = createUndoBar();
  const items = new Map<string, SessionItem>();
  const headings = new Map<string, HTMLElement>();
  let roots: readonly string[] = [];

  const renew = () => list.renew().catch(() => {}); // retried soon; a lost connection is reported elsewhere
  const renewSoon = () => {
    void renew(); // never rejects
  };
  const actions: SessionActions = {
    rename: (session, name) =>
      act("Renaming", async () => {
        await gateway.rename(session.sessionId, name);
        await renew();
      }),
    close: (session) =>
      act("Closing", async () => {
        await gateway.close(session.sessionId);
        say("The session is closed and stays in the list");
        await renew();
      }),
    delete: (session) => act("Deleting", () => remove(session)),
    export: (session) => act("Exporting", () => downloadExport(session.sessionId, sessionTitle(session), app.request)),
    copyLink: ({ sessionId }) =>
      act("Copying", async () => {
        await copyText(shareLink(sessionId));
        say("Copied. The link works for anyone who has the token");
      }),
  };

  function shownSession(): ServedSession | undefined {
    return list.listing.value.sessions.find(({ sessionId }) => sessionId === app.session.value?.id);
  }

  async function remove(session: ServedSession): Promise<void> {
    const { sessionId } = session;
    await gateway.delete(sessionId);
    if (app.session.value?.id === sessionId) app.leave();
    list.drop(sessionId);
    if (session.messageCount === 0) say("The empty session was removed");
    else
      undo.offer(`Deleted “${sessionTitle(session).slice(0, 40)}”`, () => {
        act("Restoring", async () => {
          await gateway.restore(sessionId);
          await renew();
          items.get(sessionId)?.focus();
        });
      });
    await renew();
  }

  const form = createNewSessionForm((cwd) => {
    app.open(cwd === "" ? {} : { cwd });
  });
  const search = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search sessions",
    "aria-label": "Search sessions",
    autocomplete: "off",
    spellcheck: "false",
  });
  let typing: ReturnType<typeof setTimeout> | undefined;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => act("Searching", () => list.search(search.value)), TYPING_PAUSE_MS);
  });
  const found = h("p", { class: "session-count", role: "status" });
  const rows = h("ul", { class: "session-list", "aria-label": "Sessions" });
  const more = h(
    "button",
    { type: "button", class: "small-button", hidden: true, onclick: () => act("Reading", () => list.more()) },
    "Show more",
  );
  layout.sidebar.append(
    h(
      "div",
      { class: "sessions-pane" },
      form.element,
      search,
      found,
      h("div", { class: "session-scroll" }, rows, more),
    ),
    undo.element,
  );

  /** Reuses the element of a heading, so that it keeps its place. */
  function headingOf(text: string): HTMLElement {
    const heading = headings.get(text) ?? h("li", { class: "session-heading" }, text);
    headings.set(text, heading);
    return heading;
  }

  function draw(): void {
    const { sessions: all, hasMore, query } = list.listing.value;
    const shown = app.session.value?.id;
    const now = Date.now();
    for (const session of all) {
      const item = items.get(session.sessionId) ?? createSessionItem(session, actions);
      items.set(session.sessionId, item);
      item.update(session, { roots, isShown: session.sessionId === shown, now });
    }
    const ids = new Set(all.map(({ sessionId }) => sessionId));
    for (const id of [...items.keys()]) if (!ids.has(id)) items.delete(id);
    const groups = groupSessions(all, { roots, now });
    arrange(
      rows,
      groups.flatMap(({ heading, sessions: own }) => [
        headingOf(heading),
        ...own.map(({ sessionId }) => (items.get(sessionId) as SessionItem).element),
      ]),
    );
    more.hidden = !hasMore;
    const text = query === "" ? "" : all.length === 0 ? "Nothing found" : `${all.length} found`;
    if (found.textContent !== text) replaceChildren(found, text);
    form.offer(knownDirectories(roots, all));
  }

  const showSearch = () => {
    layout.barStart.querySelector<HTMLElement>(".side-button")?.click();
    search.select();
  };
  app.actions.push(
    { label: "New session", act: () => app.open({}) },
    { label: "Search all sessions", act: showSearch },
    ...["Copy a link to this session", "Export this session"].map((label, at) => ({
      label,
      isOffered: () => shownSession() !== undefined,
      act: () => {
        const shown = shownSession();
        if (shown) (at === 0 ? actions.copyLink : actions.export)(shown);
      },
    })),
  );
  list.listing.onChange(draw);
  app.connection.watch((state) => {
    if (state !== "connected") return;
    renewSoon();
    gateway.serverState().then(
      (state) => {
        roots = state.roots ?? [];
        draw();
      },
      () => {}, // without them, directories are shown in full
    );
  });
  app.session.watch((opened) => {
    draw();
    opened?.facts.activity.onChange(renewSoon, opened.signal);
    opened?.facts.name.onChange(renewSoon, opened.signal);
  });
  setInterval(() => {
    if (!document.hidden && app.connection.value === "connected") renewSoon();
  }, RENEW_MS);
};

/**
 * Puts the elements in this order. Does not touch elements that are in place, because moving an element loses the
 * focus.
 */
function arrange(parent: HTMLElement, elements: readonly HTMLElement[]): void {
  const present = [...parent.children];
  if (present.length === elements.length && elements.every((element, at) => element === present[at])) return;
  const focused = document.activeElement;
  parent.replaceChildren(...elements);
  if (focused instanceof HTMLElement && parent.contains(focused)) focused.focus();
}
