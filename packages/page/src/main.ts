import * as highlighter from "@pintle/highlight/page-highlighter";
import { setHighlighting } from "./code/highlighting.ts";
import { h, replaceChildren } from "./dom.ts";
import { createFeed } from "./entries/feed.ts";
import { createFolds, type FoldKind } from "./entries/folds.ts";
import { createNavigation, findItem } from "./entries/navigation.ts";
import { entryHash, entryOfHash } from "./entry-hash.ts";
import { count } from "./format.ts";
import { createDrawer } from "./frame/drawer.ts";
import { createNotice } from "./frame/notice.ts";
import { installPrinting } from "./frame/printing.ts";
import { installShortcuts } from "./frame/shortcuts.ts";
import { createTheme } from "./frame/theme.ts";
import { createTopBar } from "./frame/top-bar.ts";
import { measure } from "./overview/figures.ts";
import { overview, pageHeading } from "./overview/overview.ts";
import { type PageSource, readPage } from "./page-source.ts";
import { createSearch } from "./search/search-control.ts";
import { createMarks } from "./search/text-marks.ts";
import { createSidebar } from "./tree/sidebar.ts";
import { FILTERS, type TreeFilter, treeLines } from "./tree/tree-model.ts";
import { createTree } from "./tree/tree-view.ts";

function start(source: PageSource): void {
  const { rows, index } = source;
  setHighlighting({ highlighter, grammars: async (language) => source.grammar(language) });
  const marks = createMarks();
  const search = createSearch(source);
  const notice = createNotice();
  const closed = new Set(rows.flatMap(({ kind }, place) => (kind === "subagent" ? [place] : [])));
  const [firstSubagent = rows.length] = closed;
  let filter: TreeFilter = "default";
  /** The item whose line is marked in the tree. */
  let markedItem: number | undefined;

  const figuresPanel = h("section", { class: "overview", "aria-labelledby": "figures" });
  const feed = createFeed(scheduleMarks);
  const folds = createFolds((kind) => feed.element.querySelectorAll<HTMLDetailsElement>(`details.${kind}`));
  const tree = createTree({
    select(place) {
      goTo(place);
      drawer.close();
    },
    toggle(place) {
      if (!closed.delete(place)) closed.add(place);
      drawTree();
    },
  });
  const sidebar = createSidebar(tree.element, { search: find, nextMatch, filter: setFilter });
  const drawer = createDrawer(sidebar.element, () => tree.focus());
  const navigation = createNavigation({ source, feed, folds }, drawBranch, (article, place, item) => {
    marks.openMatches(article, search.query());
    markedItem = item;
    tree.mark(place, navigation.conversation.onPath);
    const id = rows[place]?.id;
    if (id !== undefined) history.replaceState(null, "", entryHash(id));
  });

  const leaves = rows.filter((_, place) => place < firstSubagent && !navigation.children.has(place)).length;

  function drawBranch(): void {
    const { path, onPath } = navigation.conversation;
    const [beginning] = path;
    if (beginning !== undefined) closed.delete(beginning);
    const figures = measure(rows, path);
    replaceChildren(
      figuresPanel,
      h("h2", { class: "figures-title", id: "figures" }, "Figures"),
      overview({ index, figures, branches: leaves, goTo }),
    );
    tree.mark(undefined, onPath);
    drawTree();
  }

  function drawTree(): void {
    const accepts = FILTERS.find(({ name }) => name === filter)?.accepts ?? (() => true);
    const matches = search.matches();
    const lines = treeLines(navigation.children, {
      accepts: (place) => {
        const row = rows[place];
        return row !== undefined && (matches ? matches.has(place) : accepts(row));
      },
      closed: matches ? new Set() : closed,
      onPath: navigation.conversation.onPath,
      firstSubagent,
    });
    tree.show(lines, rows);
    const what = matches
      ? count(lines.length, "match", "matches")
      : `${count(lines.length, "entry", "entries")} of ${rows.length.toLocaleString()}`;
    sidebar.say(leaves > 1 ? `${what}, ${leaves.toLocaleString()} branches` : what);
  }

  function setFilter(next: TreeFilter): void {
    filter = next;
    sidebar.setFilter(next);
    navigation.showData(next === "all");
    drawTree();
  }

  function goTo(place: number, options?: { focuses?: boolean }): void {
    if (navigation.isBookkeeping(place)) setFilter("all");
    navigation.goTo(place, options);
  }

  async function find(text: string): Promise<void> {
    if (!(await search.find(text))) return;
    scheduleMarks();
    drawTree();
  }

  function nextMatch(by: 1 | -1): void {
    const { items, onPath } = navigation.conversation;
    const next = search.step(by, items[navigation.item()] ?? -1, (row) => onPath.has(row));
    if (!next) {
      notice.say(search.query() === "" ? "No search" : "No match");
      return;
    }
    const isOver = drawer.isOver();
    goTo(next.row, { focuses: isOver });
    if (isOver) drawer.close();
    notice.say(`Match ${next.at.toLocaleString()} of ${next.of.toLocaleString()}`);
  }

  /** Once for many entries that are built together. */
  let isMarkScheduled = false;
  function scheduleMarks(): void {
    if (isMarkScheduled) return;
    isMarkScheduled = true;
    requestAnimationFrame(() => {
      isMarkScheduled = false;
      marks.mark(feed.articles(), search.query());
    });
  }

  /** Limits updates of the tree to one per frame while the reader scrolls. */
  let isTreeScheduled = false;
  function followScroll(): void {
    if (isTreeScheduled) return;
    isTreeScheduled = true;
    requestAnimationFrame(() => {
      isTreeScheduled = false;
      const item = navigation.item();
      if (item === markedItem || window.scrollY === 0) return;
      markedItem = item;
      tree.mark(navigation.conversation.items[item], navigation.conversation.onPath);
    });
  }

  function follow(): void {
    const id = entryOfHash(location.hash);
    const place = id === undefined ? undefined : source.find(id);
    if (place !== undefined) goTo(place);
  }

  function step(by: 1 | -1, what = "entry", isWanted: Parameters<typeof findItem>[4] = () => true): void {
    const from = navigation.item();
    const to = findItem(navigation.conversation, rows, from, by, isWanted);
    if (to === undefined) notice.say(`No ${what} ${by === 1 ? "after" : "before"} this`);
    navigation.goToItem(to ?? from);
  }

  function toggleAll(kind: FoldKind, name: string): void {
    const isOpen = feed.keepPlace(() => folds.toggle(kind));
    notice.say(`${name} ${isOpen ? "open" : "closed"}`);
  }

  function toggleEntry(): void {
    const article = feed.reveal(navigation.item());
    const all = [...(article?.querySelectorAll("details") ?? [])];
    const isOpen = all.some(({ open }) => !open);
    for (const details of all) details.open = isOpen;
    article?.closest<HTMLElement>(".group")?.setAttribute("data-touched", "");
  }

  function openSide(then: () => void): void {
    drawer.open();
    then();
  }

  const { help } = installShortcuts([
    { key: "j", does: "next entry", act: () => step(1) },
    { key: "k", does: "previous entry", act: () => step(-1) },
    { key: "]", does: "next user prompt", act: () => step(1, "prompt", ({ kind }) => kind === "user") },
    { key: "[", does: "previous user prompt", act: () => step(-1, "prompt", ({ kind }) => kind === "user") },
    { key: "e", does: "next error or abort", act: () => step(1, "error", navigation.hasFailed) },
    { key: "g", does: "beginning", act: () => window.scrollTo({ top: 0 }) },
    {
      key: "G",
      shown: "Shift g",
      does: "end",
      act: () => navigation.goToItem(navigation.conversation.items.length - 1),
    },
    { key: "f", does: "figures", act: () => figuresPanel.scrollIntoView() },
    { key: "/", does: "search", act: () => openSide(() => sidebar.search.select()) },
    { key: "n", does: "next match", act: () => nextMatch(1) },
    { key: "N", shown: "Shift n", does: "previous match", act: () => nextMatch(-1) },
    { key: "t", does: "go to the tree", act: () => openSide(() => tree.focus()) },
    { key: "o", does: "open or close everything in this entry", act: toggleEntry },
    { key: "h", does: "open or close all thinking", act: () => toggleAll("thinking", "All thinking is") },
    {
      key: "H",
      shown: "Shift h",
      does: "open or close all tool calls",
      act: () => toggleAll("tool", "All tool calls are"),
    },
    { key: "d", does: "light, dark or system colors", act: () => notice.say(`Colors: ${bar.changeTheme()}`) },
    { key: "?", does: "this list", act: () => help.showModal() },
    { key: "Escape", shown: "Esc", does: "close the tree", act: () => drawer.close() },
  ]);

  const title = index.session.name ?? rows.find(({ kind }) => kind === "user")?.title ?? "Session";
  const bar = createTopBar(title, createTheme(), { before: drawer.button, showKeys: () => help.showModal() });
  const printNote = h("p", { class: "print-note" });
  document.body.append(
    h("a", { class: "skip", href: "#main" }, "To the conversation"),
    bar.element,
    sidebar.element,
    drawer.backdrop,
    h(
      "main",
      { id: "main", tabindex: -1 },
      h(
        "div",
        { class: "page-heading" },
        pageHeading(index),
        h("a", { class: "to-figures", href: "#figures" }, "Figures"),
      ),
      h("h2", { class: "unseen", id: "conversation" }, "Conversation"),
      printNote,
      feed.element,
      figuresPanel,
      h("p", { class: "foot" }, `Made by ${index.generator}. ${index.session.file}`),
    ),
    notice.element,
    help,
  );
  sidebar.setFilter(filter);
  navigation.showBranch();
  window.addEventListener("hashchange", follow);
  window.addEventListener("scroll", followScroll, { passive: true });
  // A link to the current address would do nothing.
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href^='#']") : null;
    if (link && link.hash === location.hash) follow();
  });
  installPrinting({
    feed,
    note: printNote,
    current: () => navigation.item(),
    total: () => navigation.conversation.items.length,
  });
  follow();
  document.documentElement.dataset.ready = "";
}

start(readPage());
