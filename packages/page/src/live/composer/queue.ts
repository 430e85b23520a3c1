import type { Queue } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

/** The queued messages, each with a button that removes it. */
export function queueList(app: LiveApp, session: OpenSession): HTMLElement {
  const element = h("ul", { class: "queue", "aria-label": "Queued messages" });
  const item = (kind: string, meaning: string, text: string, id: string | undefined) =>
    h(
      "li",
      { class: "queued" },
      h("span", { class: "queued-kind", title: meaning }, kind),
      h("span", { class: "queued-text" }, text),
      id !== undefined &&
        h(
          "button",
          {
            type: "button",
            class: "quiet-button",
            "aria-label": `Take back: ${text.slice(0, 60)}`,
            onclick: () => app.act("Removing the message", () => session.rpc.removeQueued(id)),
          },
          "×",
        ),
    );
  const show = ({ steering, followUp, steeringIds, followUpIds }: Queue) => {
    replaceChildren(
      element,
      steering.map((text, at) => item("steer", "delivered at the next opportunity", text, steeringIds?.[at])),
      followUp.map((text, at) => item("then", "delivered when the run would end", text, followUpIds?.[at])),
    );
    element.hidden = steering.length + followUp.length === 0;
  };
  session.facts.queue.watch(show, session.signal);
  return element;
}
