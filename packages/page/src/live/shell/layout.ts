import { type Child, h } from "../../dom.ts";

/** The regions of the page. A part adds its elements to one of them and touches no other. */
export interface Layout {
  /** On the left, hidden on small windows: the sessions. */
  readonly sidebar: HTMLElement;
  /** In the top bar, before and after the title. */
  readonly barStart: HTMLElement;
  readonly barEnd: HTMLElement;
  readonly title: HTMLElement;
  /** Below the bar: notices about the whole page, such as a lost connection. */
  readonly banner: HTMLElement;
  /** Above the conversation: its search. */
  readonly find: HTMLElement;
  /** Shown while there is no conversation. */
  readonly start: HTMLElement;
  /** The scrolling element, and the conversation in it. */
  readonly scroller: HTMLElement;
  readonly feed: HTMLElement;
  /** Above the composer: the session's questions. */
  readonly questions: HTMLElement;
  readonly composer: HTMLElement;
  /** Below the composer: model, thinking and permissions on the left, figures on the right. */
  readonly pickers: HTMLElement;
  readonly status: HTMLElement;
}

export function createLayout(): Layout {
  const slot = (name: string, attributes: Record<string, string> = {}, ...children: Child[]) =>
    h("div", { class: `slot-${name}`, ...attributes }, ...children);
  const title = h("h1", { class: "bar-title" }, "pintle");
  const [barStart, barEnd] = [slot("bar-start"), slot("bar-end")];
  const sidebar = h("nav", { class: "side", id: "sessions", "aria-label": "Sessions" });
  const banner = slot("banner", { role: "status" });
  const feed = slot("feed");
  const [find, start] = [slot("find"), slot("start")];
  const scroller = h("div", { class: "scroller" }, start, feed);
  const questions = h("section", { class: "slot-questions", "aria-label": "Questions" });
  const composer = slot("composer");
  const [pickers, status] = [slot("pickers"), slot("status")];
  document.body.classList.add("live");
  document.body.append(
    h("a", { class: "skip", href: "#composer" }, "Skip to the message field"),
    h("header", { class: "bar" }, barStart, title, barEnd),
    sidebar,
    h(
      "main",
      { id: "main" },
      banner,
      find,
      scroller,
      h("div", { class: "dock" }, questions, composer, h("div", { class: "foot-line" }, pickers, status)),
    ),
  );
  return {
    sidebar,
    barStart,
    barEnd,
    title,
    banner,
    find,
    start,
    scroller,
    feed,
    questions,
    composer,
    pickers,
    status,
  };
}
