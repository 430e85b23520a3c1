import { codeBlock } from "../../code/code-view.ts";
import { h, replaceChildren } from "../../dom.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";
import type { ShellRun } from "../state/shell-runs.ts";
import { oncePerFrame } from "./frames.ts";
import { passed } from "./passed-time.ts";

const TICK_MS = 1000;

interface Card {
  card: HTMLElement;
  show(run: ShellRun): void;
}

/** The user's own commands while they run, each with its output so far and a stop button. */
export function shellCards(app: LiveApp, session: OpenSession): HTMLElement {
  const { shell, signal } = session;
  const element = h("div", { class: "shell-runs" });
  const cards = new Map<ShellRun, Card>();

  function makeCard(): Card {
    const [name, time] = ["tool-summary", "tool-time"].map((part) => h("span", { class: part }));
    const stop = h(
      "button",
      { type: "button", class: "small-button", onclick: () => app.act("Stopping the command", () => shell.stop()) },
      "Stop",
    );
    const body = h("div", { class: "tool-body" });
    const card = h(
      "div",
      { class: "tool shell-run is-running", role: "group", "aria-label": "Your command" },
      h(
        "div",
        { class: "tool-line" },
        h("span", { class: "icon", "aria-hidden": "true" }, "$"),
        name,
        h("span", { class: "tool-state" }, "running"),
        time,
        stop,
      ),
      body,
    );
    let shown: string | undefined;
    function show({ command, output, startedAt }: ShellRun): void {
      const words = command ?? "A command started by another client";
      if (name && name.textContent !== words) replaceChildren(name, words);
      if (time) replaceChildren(time, passed(startedAt));
      if (output === shown) return;
      shown = output;
      replaceChildren(
        body,
        output !== "" && codeBlock(output.trimEnd(), { lines: 14, side: "end", className: "output", label: "Output" }),
      );
    }
    return { card, show };
  }

  function draw(): void {
    const runs = shell.runs.value;
    for (const [run, { card }] of cards)
      if (!runs.includes(run)) {
        card.remove();
        cards.delete(run);
      }
    for (const run of runs) {
      const made = cards.get(run) ?? makeCard();
      if (!cards.has(run)) element.append(made.card);
      cards.set(run, made);
      made.show(run);
    }
  }

  shell.runs.watch(oncePerFrame(draw), signal);
  const timer = setInterval(() => {
    for (const [run, { show }] of cards) show(run);
  }, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  return element;
}
