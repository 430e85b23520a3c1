import type { LivePart } from "../app.ts";
import { pageTitle } from "../shell/page-title.ts";
import { attachQuestions } from "./attach-questions.ts";
import { createAttention } from "./attention.ts";
import { createSurfaces } from "./extension-surfaces.ts";
import { titleOf } from "./kinds.ts";
import { createQuestionPanel, nameOf } from "./question-panel.ts";
import { QuestionQueue, type Withdrawal } from "./question-queue.ts";

const ENDINGS: Readonly<Record<Withdrawal, string>> = {
  answered: "Answered elsewhere",
  timeout: "Not answered in time",
  stopped: "An answer is no longer needed",
};

/** Shows the session's questions to the user, and what its extensions display. */
export const questions: LivePart = (app) => {
  const { layout, session, say } = app;
  const field = () => layout.composer.querySelector("textarea");
  const panel = createQuestionPanel(layout.questions, { field, now: app.serverNow });
  const attention = createAttention();
  layout.barEnd.prepend(attention.button);
  const surfaces = createSurfaces({
    notify: say,
    title: (text) => pageTitle.name(text),
    editorText(text) {
      const composer = field();
      if (!composer) return;
      composer.value = text;
      composer.dispatchEvent(new Event("input", { bubbles: true }));
    },
  });
  layout.composer.prepend(surfaces.above);
  layout.composer.append(surfaces.below);
  layout.status.prepend(surfaces.status);

  let called: ReadonlySet<string> = new Set();
  const queue = new QuestionQueue(
    {
      changed() {
        const { questions: open } = queue;
        panel.show(open);
        pageTitle.waiting(open.length);
        const ids = new Set(open.map(({ id }) => id));
        for (const id of called) if (!ids.has(id)) attention.over(id);
        for (const question of open)
          if (!called.has(question.id)) attention.call(question.id, `${nameOf(question)} waits`, titleOf(question));
        called = ids;
      },
      withdrawn(question, why) {
        const then = why === "timeout" ? `: ${question.byDefault}` : "";
        say(`${ENDINGS[why]}${then}. ${titleOf(question)}`);
      },
    },
    app.serverNow,
  );
  let heard: unknown;
  session.watch((opened) => {
    if (opened?.rpc === heard) return; // the same question, shown again
    heard = opened?.rpc;
    surfaces.clear();
    queue.forget();
    if (opened) attachQuestions(opened.rpc, queue, (announcement) => surfaces.show(announcement));
  });
};
