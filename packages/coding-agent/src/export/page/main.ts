import { h, replaceChildren } from "./dom.ts";
import { entryHash, entryOfHash } from "./entry-hash.ts";
import { createFeed } from "./feed.ts";
import { measure } from "./figures.ts";
import { count } from "./format.ts";
import { searchRows } from "./full-text.ts";
import { createNavigation, findItem } from "./navigation.ts";
import { overview } from "./overview.ts";
import { type PageSource, readPage } from "./page-source.ts";
import { installShortcuts } from "./shortcuts.ts";
import { createSidebar } from "./sidebar.ts";
import { createMarks } from "./text-marks.ts";
import { createTheme } from "./theme.ts";
import { FILTERS, type TreeFilter, treeLines } from "./tree-model.ts";
import { createTree } from "./tree-view.ts";

function start(source: PageSource): void {
  const { rows, index } = source;
  const theme = createTheme();
  const marks = createMarks();
  const closed = new Set<number>();
  let filter: TreeFilter = "default";
  let query = "";
  let matches: ReadonlySet<number> | undefined;
  let searching = new AbortController();

  const top = h("div", { class: "overview" });
  const feed = createFeed(scheduleMarks);
  const tree = createTree({
    select: (place) => {
      navigation.goTo(place);
      document.body.classList.remove("shows-side");
    },
    toggle(place) {
      if (!closed.delete(place)) closed.add(place);
      drawTree();
    },
  });
  const sidebar = createSidebar(tree.element, { search, nextMatch, filter: setFilter });
  const navigation = createNavigation(source, feed, drawBranch, (article, place) => {
    marks.openMatches(article, query);
    tree.mark(place, navigation.conversation.onPath);
    const id = rows[place]?.id;
    if (id !== undefined) history.replaceState(null, "", entryHash(id));
  });

  const leaves = rows.filter((_, place) => !navigation.children.has(place)).length;

  function drawBranch(): void {
    const { path, onPath } = navigation.conversation;
    const figures = measure(rows, path);
    replaceChildren(top, overview({ index, figures, branches: leaves, goTo: (row) => navigation.goTo(row) }));
    tree.mark(undefined, onPath);
  }

  function drawTree(): void {
    const accepts = FILTERS.find(({ name }) => name === filter)?.accepts ?? (() => true);
    const lines = treeLines(navigation.children, {
      accepts: (place) => {
        const row = rows[place];
        return row !== undefined && (matches ? matches.has(place) : accepts(row));
      },
      closed: matches ? new Set() : closed,
    });
    tree.show(lines, rows);
    const what =
      query === ""
        ? `${count(lines.length, "entry", "entries")} of ${rows.length.toLocaleString()}`
        : `${count(lines.length, "match", "matches")}`;
    sidebar.say(leaves > 1 ? `${what}, ${leaves} branches` : what);
  }

  function setFilter(next: TreeFilter): void {
    filter = next;
    sidebar.setFilter(next);
    navigation.showData(next === "all");
    drawTree();
  }

  async function search(text: string): Promise<void> {
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    query = text.trim();
    const found = query === "" ? undefined : await searchRows(source, query, signal);
    if (signal.aborted) return;
    matches = found;
    scheduleMarks();
    drawTree();
  }

  function nextMatch(step: 1 | -1): void {
    if (!matches || matches.size === 0) return;
    const here = navigation.conversation.items[navigation.item()] ?? -1;
    const order = [...matches].sort((a, b) => a - b);
    const isOn = (place: number) => navigation.conversation.onPath.has(place);
    const shown = order.filter(isOn).length > 0 ? order.filter(isOn) : order;
    const last = lastMatch ?? here - (step === 1 ? 1 : -1);
    const next =
      step === 1
        ? (shown.find((place) => place > last) ?? shown[0])
        : (shown.findLast((place) => place < last) ?? shown.at(-1));
    lastMatch = next;
    if (next !== undefined) navigation.goTo(next, { focuses: false });
  }
  let lastMatch: number | undefined;

  /** Once for many entries that are built together. */
  let isMarkScheduled = false;
  function scheduleMarks(): void {
    if (isMarkScheduled) return;
    isMarkScheduled = true;
    requestAnimationFrame(() => {
      isMarkScheduled = false;
      marks.mark(feed.articles(), query);
    });
  }

  function follow(): boolean {
    const id = entryOfHash(location.hash);
    const place = id === undefined ? undefined : source.find(id);
    if (place === undefined) return false;
    if (rows[place]?.kind === "data") setFilter("all");
    navigation.goTo(place);
    return true;
  }

  function step(by: 1 | -1, isWanted: Parameters<typeof findItem>[4] = () => true): void {
    navigation.goToItem(findItem(navigation.conversation, rows, navigation.item(), by, isWanted));
  }

  function toggleAll(selector: string): void {
    feed.buildAll();
    const all = [...feed.element.querySelectorAll<HTMLDetailsElement>(selector)];
    const isOpen = all.some(({ open }) => !open);
    for (const details of all) {
      details.open = isOpen;
      details.closest<HTMLElement>(".group")?.setAttribute("data-touched", "");
    }
  }

  const { help } = installShortcuts([
    { key: "j", does: "next entry", act: () => step(1) },
    { key: "k", does: "previous entry", act: () => step(-1) },
    { key: "]", does: "next prompt of the user", act: () => step(1, ({ kind }) => kind === "user") },
    { key: "[", does: "previous prompt of the user", act: () => step(-1, ({ kind }) => kind === "user") },
    { key: "e", does: "next error or abort", act: () => step(1, ({ state }) => state !== undefined) },
    { key: "g", does: "beginning", act: () => window.scrollTo({ top: 0 }) },
    {
      key: "G",
      shown: "Shift g",
      does: "end",
      act: () => navigation.goToItem(navigation.conversation.items.length - 1),
    },
    { key: "/", does: "search", act: () => openSide(() => sidebar.search.select()) },
    { key: "n", does: "next match", act: () => nextMatch(1) },
    { key: "N", shown: "Shift n", does: "previous match", act: () => nextMatch(-1) },
    { key: "t", does: "go to the tree", act: () => openSide(() => tree.focus()) },
    { key: "o", does: "open or close everything in this entry", act: toggleEntry },
    { key: "h", does: "open or close all thinking", act: () => toggleAll("details.thinking") },
    { key: "d", does: "light, dark or as the system", act: changeTheme },
    { key: "?", does: "this list", act: () => help.showModal() },
    { key: "Escape", shown: "Esc", does: "close the tree", act: () => document.body.classList.remove("shows-side") },
  ]);

  function openSide(then: () => void): void {
    document.body.classList.add("shows-side");
    sidebar.search.focus();
    then();
  }

  function toggleEntry(): void {
    const article = feed.reveal(navigation.item());
    const all = [...(article?.querySelectorAll("details") ?? [])];
    const isOpen = all.some(({ open }) => !open);
    for (const details of all) details.open = isOpen;
    article?.closest<HTMLElement>(".group")?.setAttribute("data-touched", "");
  }

  const themeButton = h("button", { type: "button", class: "quiet-button", onclick: changeTheme });
  function changeTheme(): void {
    theme.next();
    nameTheme();
  }
  function nameTheme(): void {
    const names = { auto: "◐", light: "☀", dark: "☾" };
    replaceChildren(themeButton, names[theme.current()]);
    themeButton.setAttribute("aria-label", `Colours: ${theme.current()}`);
    themeButton.setAttribute("title", `Colours: ${theme.current()} (d)`);
  }
  nameTheme();

  document.body.append(
    h("a", { class: "skip", href: "#main" }, "To the conversation"),
    h(
      "header",
      { class: "bar" },
      h(
        "button",
        {
          type: "button",
          class: "quiet-button side-button",
          "aria-label": "Show or hide the entries",
          onclick: () => document.body.classList.toggle("shows-side"),
        },
        "☰",
      ),
      h(
        "span",
        { class: "bar-title" },
        index.session.name ?? rows.find(({ kind }) => kind === "user")?.title ?? "Session",
      ),
      themeButton,
      h(
        "button",
        {
          type: "button",
          class: "quiet-button",
          "aria-label": "Keys",
          title: "Keys (?)",
          onclick: () => help.showModal(),
        },
        "?",
      ),
    ),
    sidebar.element,
    h(
      "main",
      { id: "main", tabindex: -1 },
      top,
      feed.element,
      h("footer", { class: "foot" }, `Made by ${index.generator}. ${index.session.file}`),
    ),
    help,
  );
  feed.show({ source, conversation: navigation.conversation });
  drawBranch();
  setFilter("default");
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", () => feed.buildAll());
  follow();
  document.documentElement.dataset.ready = "";
}

start(readPage());
