import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";
import { placeHash } from "../connection/address.ts";
import { ago, sessionTitle } from "../sessions/session-rows.ts";
import type { OpenSession } from "../state/open-session.ts";
import { examplePrompts } from "./example-prompts.ts";
import { isLoopbackPage, keyForm } from "./key-form.ts";

const MOST_RECENT = 5;
/** The provider of the offline model. */
const OFFLINE = "pintle";

/** What the page offers before the first message: examples, the choice of a model, recent sessions, and what to do without a key. */
export const startView: LivePart = (app) => {
  const { layout, session, list } = app;
  const examples = h("div", { class: "start-examples" });
  const choose = h(
    "button",
    { type: "button", class: "small-button", onclick: () => app.open({}) },
    "Choose model, thinking and permissions",
  );
  const recent = h("ul", { class: "start-recent" });
  const recentPart = h("section", {}, h("h3", {}, "Recent sessions"), recent);
  const keys = h(
    "details",
    { class: "start-keys" },
    h("summary", {}, "No API key yet?"),
    h(
      "ul",
      {},
      h(
        "li",
        {},
        "Set your provider's environment variable, such as ",
        h("code", {}, "ANTHROPIC_API_KEY"),
        ", before you start pintle.",
      ),
      h("li", {}, "Start a local server (Ollama, LM Studio, llama.cpp): its models appear in the list of models."),
      h("li", {}, "Until then, the offline model answers by fixed rules."),
    ),
    isLoopbackPage() && [
      h("p", {}, "Or store a key on this machine, in a file that only you can read:"),
      keyForm(app, () => layout.pickers.querySelector<HTMLElement>(".picker")?.click()),
    ],
  );
  layout.start.append(h("h2", {}, "What should pintle do?"), examples, h("p", {}, choose), recentPart, keys);

  function isEmpty({ transcript, outbox }: OpenSession): boolean {
    const { rows, conversation, answer } = transcript;
    const isSpoken = conversation.items.some((place) => !["change", "system"].includes(rows[place]?.kind ?? "change"));
    return !isSpoken && !conversation.isPartial && answer === undefined && outbox.messages.value.length === 0;
  }

  function show(): void {
    const opened = session.value;
    const isHidden = opened !== undefined && !isEmpty(opened);
    if (layout.start.hidden !== isHidden) layout.start.hidden = isHidden;
    if (isHidden) return;
    const { sessions } = list.listing.value;
    const here = sessions.find(({ sessionId }) => sessionId === opened?.id);
    const isOffline = opened?.facts.model.value?.provider === OFFLINE;
    if (isOffline) keys.open = true;
    choose.hidden = opened !== undefined;
    replaceChildren(
      examples,
      examplePrompts({ hasGit: here?.gitBranch !== undefined, isOffline }).map((text) =>
        h("button", { type: "button", class: "start-example", onclick: () => write(text) }, text),
      ),
    );
    const others = sessions.filter(({ sessionId, messageCount }) => sessionId !== opened?.id && messageCount > 0);
    recentPart.hidden = others.length === 0;
    replaceChildren(
      recent,
      others
        .slice(0, MOST_RECENT)
        .map((one) =>
          h(
            "li",
            {},
            h("a", { href: placeHash({ session: one.sessionId }) }, sessionTitle(one)),
            ` ${ago(one.updatedAt, Date.now())}`,
          ),
        ),
    );
  }

  function write(text: string): void {
    const field = layout.composer.querySelector("textarea");
    if (!field) return;
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }

  list.listing.onChange(() => {
    // Controls that the user may be about to click stay where they are.
    if (!layout.start.matches(":focus-within, :hover")) show();
  });
  session.watch((opened) => {
    show();
    if (!opened) return;
    const hide = () => {
      if (!layout.start.hidden) show();
    };
    opened.transcript.listen({ reset: show, grown: hide, writing: hide }, opened.signal);
    opened.outbox.messages.onChange(show, opened.signal);
    opened.facts.model.onChange(show, opened.signal);
  });
};
