import { h } from "../../dom.ts";

/** A reader this close to the end counts as being there. */
const NEAR = 48;

export interface Autoscroll {
  /** The button that brings the reader back to the end. */
  readonly button: HTMLElement;
  toEnd(): void;
  isAtEnd(): boolean;
  /** Called after content is added at the end. */
  touched(): void;
}

/** Stays at the end while the reader is there, and never moves a reader who is elsewhere. */
export function createAutoscroll(scroller: HTMLElement, content: HTMLElement, signal: AbortSignal): Autoscroll {
  let isAtEnd = true;
  let lastTop = 0;
  const button = h("button", { type: "button", class: "to-end", onclick: () => toEnd() }, "↓ To the end");
  button.hidden = true;

  /** Changes nothing without need: an attribute that is set again costs another style and layout in the same frame. */
  function follow(value: boolean): void {
    if (value === isAtEnd) return;
    isAtEnd = value;
    button.hidden = value;
    if (value) button.classList.remove("has-news");
  }

  function toEnd(): void {
    scroller.scrollTop = scroller.scrollHeight;
    follow(true);
  }

  scroller.addEventListener(
    "scroll",
    () => {
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
      // Growing content never scrolls up; only the reader does.
      if (isNear) follow(true);
      else if (scrollTop < lastTop - 1) follow(false);
      lastTop = scrollTop;
    },
    { passive: true, signal },
  );
  // Opened content is about to be read, so it stays where it is.
  content.addEventListener(
    "click",
    ({ target }) => {
      if (target instanceof Element && target.closest("summary, .more") && hasRest(scroller)) follow(false);
    },
    { signal },
  );
  const observer = new ResizeObserver(() => {
    if (isAtEnd) toEnd();
  });
  observer.observe(content);
  observer.observe(scroller);
  signal.addEventListener("abort", () => observer.disconnect());
  return {
    button,
    toEnd,
    isAtEnd: () => isAtEnd,
    touched() {
      if (!isAtEnd) button.classList.add("has-news");
    },
  };
}

function hasRest({ scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight > clientHeight;
}
