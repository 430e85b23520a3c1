import { h, replaceChildren } from "../../dom.ts";
import { type EntryContext, showTurn } from "../../entries/entry-view.ts";
import { createFeed } from "../../entries/feed.ts";
import { createFolds } from "../../entries/folds.ts";
import { toolCard } from "../../entries/tool-card.ts";
import type { Row } from "../../page-data.ts";
import type { LiveApp, LivePart } from "../app.ts";
import { placeHash, readPlace } from "../connection/address.ts";
import { loadImage } from "../connection/load-image.ts";
import type { OpenSession } from "../state/open-session.ts";
import { activityLine } from "./activity-line.ts";
import { createAutoscroll } from "./autoscroll.ts";
import { earlierPart } from "./earlier-part.ts";
import { createFindBar, type FindBar } from "./find-bar.ts";
import { oncePerFrame } from "./frames.ts";
import { OpenAnswer } from "./open-answer.ts";
import { outgoingMessages } from "./outgoing-messages.ts";
import { createRunningTools } from "./running-tools.ts";
import { shellCards } from "./shell-cards.ts";
import { sideNotes } from "./side-notes.ts";

/** The conversation of the current session. */
export const conversation: LivePart = (app) => {
  let find: FindBar | undefined;
  app.session.watch((session) => {
    replaceChildren(app.layout.feed);
    replaceChildren(app.layout.find);
    find = session && showConversation(app, session);
  });
  const isOffered = () => find !== undefined;
  app.actions.push({ label: "Search this conversation", key: "/", isOffered, act: () => find?.open() });
};

function showConversation(app: LiveApp, session: OpenSession): FindBar {
  const { layout, entryActions } = app;
  const { transcript, signal } = session;
  const feed = createFeed((article) => {
    running.built(article);
    markSoon();
  }, layout.scroller);
  const folds = createFolds((kind) => feed.element.querySelectorAll<HTMLDetailsElement>(`details.${kind}`));
  let written = new Map<string, HTMLElement>();
  const context: EntryContext = {
    source: { rows: transcript.rows, body, image },
    folds,
    get conversation() {
      return transcript.conversation;
    },
    link: (row) => placeHash({ session: session.id, entry: row.id }),
    actions: (row) => entryActions.map((action) => action(row, session)),
    loadImage: (reference, mimeType) => loadImage((path) => app.request(path), reference, mimeType),
    written(text) {
      const element = written.get(text);
      written.delete(text);
      return element;
    },
    unanswered: (callId) =>
      transcript.tools.has(callId) ? "running" : session.facts.activity.value.isRunning ? "waiting" : "",
  };
  const running = createRunningTools(transcript, { cards: feed.element, context: () => context }, signal);
  const open = h("div", { class: "open-answer" });
  const content = h(
    "div",
    { class: "conversation" },
    h("h2", { class: "unseen", id: "conversation" }, "Conversation"),
    earlierPart(app, session, () => reveal(0)),
    feed.element,
    open,
    shellCards(app, session),
    outgoingMessages(app, session),
    activityLine(app, session),
    sideNotes(session),
  );
  const scroll = createAutoscroll(layout.scroller, content, signal);
  layout.feed.append(content, h("div", { class: "to-end-place" }, scroll.button));

  function body<K extends Row["kind"]>(place: number, kind: K) {
    return transcript.body(place, kind);
  }
  function image(place: number) {
    return transcript.image(place);
  }

  let answer: OpenAnswer | undefined;
  const draw = oncePerFrame(() => answer?.draw());

  function showAll(): void {
    feed.show(context, "end");
    scroll.toEnd();
    goToEntry();
  }

  /** Goes to the entry in the address, which may be far back. */
  function goToEntry(): void {
    const { entry } = readPlace(location.hash);
    if (entry === undefined) return;
    app.act("Looking for the entry", async () => {
      await session.earlier.readUntil(() => transcript.find(entry) !== undefined);
      const place = transcript.find(entry);
      if (place === undefined || signal.aborted || readPlace(location.hash).entry !== entry) return;
      reveal(transcript.conversation.items.indexOf(transcript.conversation.ownerOf.get(place) ?? place));
    });
  }

  function reveal(item: number): HTMLElement | undefined {
    const article = item === -1 ? undefined : feed.reveal(item);
    article?.scrollIntoView({ block: "start" });
    article?.focus({ preventScroll: true });
    return article;
  }

  /** The entry's current element, if it is built. */
  function articleOf(place: number): HTMLElement | undefined {
    const { conversation } = transcript;
    const at = conversation.items.lastIndexOf(conversation.ownerOf.get(place) ?? place);
    return at === -1 ? undefined : feed.peek(at);
  }

  function showResult(callId: string): void {
    const place = transcript.conversation.resultOf.get(callId);
    const owner = place === undefined ? undefined : transcript.conversation.ownerOf.get(place);
    const article = place === undefined ? undefined : articleOf(place);
    const card = article?.querySelector<HTMLDetailsElement>(`details.tool[data-call="${CSS.escape(callId)}"]`);
    if (place === undefined || owner === undefined || !card) return;
    const call = transcript
      .body(owner, "assistant")
      .blocks.find((block) => block.type === "call" && block.id === callId);
    const summary = transcript.rows[owner]?.calls?.find(({ id }) => id === callId)?.summary ?? "";
    const next = toolCard({ place, context, summary, ...(call?.type === "call" && { call }) });
    if (card.dataset.toggled !== undefined && next instanceof HTMLDetailsElement) {
      next.open = card.open;
      next.dataset.toggled = "";
    }
    card.replaceWith(next);
  }

  // A finished call folds unless the reader has opened or closed it.
  feed.element.addEventListener(
    "click",
    ({ target }) => {
      const card = target instanceof Element ? target.closest("summary")?.parentElement : undefined;
      if (card?.matches("details.tool")) card.dataset.toggled = "";
    },
    { signal },
  );
  // A user who sends a message wants to see it and its answer.
  let outgoing = 0;
  session.outbox.messages.onChange(({ length }) => {
    if (length > outgoing) scroll.toEnd();
    outgoing = length;
  }, signal);
  transcript.listen(
    {
      reset: showAll,
      grown() {
        written = answer?.finish() ?? written;
        // The streamed text is already on the page, and is moved to the entry before it would be removed.
        feed.extend(answer !== undefined || scroll.isAtEnd());
        scroll.touched();
      },
      earlier(items) {
        feed.prepend(items);
        if (!transcript.conversation.isPartial) for (const article of feed.articles()) showTurn(article, context);
      },
      answered: showResult,
      tool: (callId) => running.touch(callId),
      changed(place) {
        articleOf(place)?.classList.toggle("is-out", transcript.rows[place]?.out !== undefined);
      },
      writing(message, step) {
        if (!message) {
          answer?.element.remove();
          answer = undefined;
          written.clear();
          return;
        }
        if (!answer) {
          answer = new OpenAnswer(transcript.conversation.isAnswering);
          open.append(answer.element);
        }
        answer.take(message, step);
        draw();
        scroll.touched();
      },
    },
    signal,
  );
  window.addEventListener("hashchange", goToEntry, { signal });
  const find = createFindBar(app, session, { articles: feed.articles, current: feed.current, reveal });
  const markSoon = oncePerFrame(() => find.mark());
  layout.find.append(find.element);
  showAll();
  return find;
}
