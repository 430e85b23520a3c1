import type { OpenOptions } from "@pintle/client/core";
import { setHighlighting } from "../code/highlighting.ts";
import { createNotice } from "../frame/notice.ts";
import type { LiveApp } from "./app.ts";
import { forgetToken, placeHash, readPlace, takeToken } from "./connection/address.ts";
import { ServerConnection } from "./connection/server-connection.ts";
import { PARTS } from "./parts.ts";
import { SessionList } from "./sessions/session-list.ts";
import { createLayout } from "./shell/layout.ts";
import { askForToken } from "./shell/token-form.ts";
import { Cell } from "./state/cell.ts";
import { PAGE_ENTRIES } from "./state/earlier-entries.ts";
import { OpenSession } from "./state/open-session.ts";
import { loadView } from "./views.ts";

async function start(): Promise<void> {
  setHighlighting({
    highlighter: () => loadView("highlighter"),
    grammars: async (language) => (await fetch(`/grammar/${language}.json`)).json(),
  });
  const layout = createLayout();
  const notice = createNotice();
  document.body.append(notice.element);
  const token = takeToken();
  if (token === undefined) {
    askForToken(layout.feed, "This page needs its server's token: open the address that pintle printed.");
    document.documentElement.dataset.ready = "";
    return;
  }
  const connection = new ServerConnection(token);
  const app = createApp(connection, layout, notice.say);
  connection.state.onChange((state) => {
    if (state !== "refused") return;
    forgetToken();
    askForToken(layout.feed, "The server refuses this token. If the server was restarted, it prints a new one.");
  });
  app.actions.push({
    label: "Forget the token of this server",
    act() {
      forgetToken();
      location.replace(location.pathname);
    },
  });
  for (const part of PARTS) part(app);
  await connection.start().catch(() => {}); // reported by the connection's state
  document.documentElement.dataset.ready = "";
  const follow = () => {
    const { session } = readPlace(location.hash);
    if (session === app.session.value?.id) return;
    if (session === undefined) app.leave();
    else app.open({ session });
  };
  window.addEventListener("hashchange", follow);
  follow();
}

function createApp(connection: ServerConnection, layout: LiveApp["layout"], say: (text: string) => void): LiveApp {
  const session = new Cell<OpenSession | undefined>(undefined);
  const { gateway } = connection;
  /** Only the latest request takes effect. */
  let wishes = 0;

  async function attempt<T>(doing: string, action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (error) {
      say(`${doing} failed: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  function act(doing: string, action: () => Promise<unknown>): void {
    void attempt(doing, action); // never rejects
  }

  function show(next: OpenSession | undefined): void {
    const before = session.value;
    // Leaving need not be awaited; the server detaches with the connection at the latest.
    before?.leave({ detaches: before.rpc !== next?.rpc }).catch(() => {});
    session.set(next);
    if (readPlace(location.hash).session === next?.id) return;
    history.pushState(null, "", `${location.pathname}${placeHash(next ? { session: next.id } : {})}`);
  }

  function openSession(options: OpenOptions): Promise<OpenSession | undefined> {
    wishes += 1;
    const wish = wishes;
    return attempt("Opening the session", async () => {
      const rpc = await gateway.open({ ...options, updateMode: "delta", lastEntries: PAGE_ENTRIES });
      if (wish !== wishes) return undefined;
      const opened = new OpenSession(rpc);
      show(opened);
      await opened.begin(() => gateway.attach(opened.id, { since: "start", lastEntries: PAGE_ENTRIES }));
      return wish === wishes ? opened : undefined;
    });
  }

  function open(options: OpenOptions): void {
    void openSession(options); // never rejects
  }

  return {
    layout,
    gateway,
    session,
    open,
    openSession,
    say,
    attempt,
    act,
    connection: connection.state,
    entryActions: [],
    actions: [],
    list: new SessionList(gateway),
    request: (path) => connection.request(path),
    serverNow: () => connection.clock.now(),
    leave() {
      wishes += 1;
      show(undefined);
    },
  };
}

void start(); // failures are reported in the page
