import { h, replaceChildren } from "../../dom.ts";
import { plainProse } from "../../markdown/rich-text.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

/** Shows messages that are waiting for the connection. Delivered messages become entries of the conversation. */
export function outgoingMessages({ connection }: LiveApp, { outbox, signal }: OpenSession): HTMLElement {
  const element = h("div", { class: "outgoing" });
  const show = () =>
    replaceChildren(
      element,
      connection.value !== "connected" &&
        outbox.messages.value.map(({ text }) =>
          h(
            "div",
            { class: "entry user is-outgoing" },
            h("div", { class: "entry-head", role: "status" }, "Waiting for connection"),
            plainProse(text),
          ),
        ),
    );
  outbox.messages.watch(show, signal);
  connection.onChange(show, signal);
  return element;
}
