import { h, replaceChildren } from "../../dom.ts";
import { count } from "../../format.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

/** Earlier entries are loaded at this distance from the window. */
const MARGIN = 2_000;

/** Shown before the conversation while its beginning is not loaded; loads more when the reader gets near. */
export function earlierPart(app: LiveApp, session: OpenSession, showBeginning: () => void): HTMLElement {
  const { transcript, earlier, signal } = session;
  const rest = h("span", { class: "earlier-rest" });
  const element = h(
    "div",
    { class: "earlier", hidden: true },
    h("button", { type: "button", class: "quiet-button", onclick: readOn }, "Earlier messages"),
    h("button", { type: "button", class: "quiet-button", onclick: goToBeginning }, "To the beginning"),
    rest,
  );

  function show(): void {
    element.hidden = !transcript.conversation.isPartial;
    replaceChildren(rest, `${count(transcript.first, "entry", "entries")} before`);
  }

  function readOn(): void {
    void readWhileNear(); // its failure is reported elsewhere
  }

  let isReading = false;
  async function readWhileNear(): Promise<void> {
    if (isReading) return;
    isReading = true;
    do {
      const page = await app.attempt("Reading earlier messages", async () => {
        await earlier.read();
        return "read";
      });
      if (page === undefined) break; // reported, and the button retries
    } while (transcript.conversation.isPartial && !signal.aborted && isNear());
    isReading = false;
  }

  function isNear(): boolean {
    const { top, bottom } = app.layout.scroller.getBoundingClientRect();
    const place = element.getBoundingClientRect();
    return place.bottom > top - MARGIN && place.top < bottom + MARGIN;
  }

  function goToBeginning(): void {
    app.act("Reading earlier messages", async () => {
      await earlier.readUntil(() => !transcript.conversation.isPartial);
      if (!signal.aborted) showBeginning();
    });
  }

  const observer = new IntersectionObserver(
    (changes) => {
      if (changes.some(({ isIntersecting }) => isIntersecting)) readOn();
    },
    { root: app.layout.scroller, rootMargin: `${MARGIN}px` },
  );
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
  transcript.listen({ reset: show, earlier: show, grown: show }, signal);
  show();
  return element;
}
