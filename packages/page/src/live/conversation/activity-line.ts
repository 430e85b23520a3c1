import { h, replaceChildren } from "../../dom.ts";
import type { OpenSession } from "../state/open-session.ts";
import type { Activity } from "../state/session-facts.ts";

const COMPACTIONS: Record<string, string> = {
  threshold: "the context is almost full",
  overflow: "the context was too long",
  idle: "while nothing else is to be done",
  manual: "as asked for",
};

/** What goes on where no text is written: waiting, trying again, making the context shorter. */
export function activityLine(session: OpenSession): HTMLElement {
  const { facts, signal, rpc, transcript } = session;
  const element = h("div", { class: "activity", role: "status" });
  const seconds = h("span", {});
  let timer: ReturnType<typeof setInterval> | undefined;

  function show(activity: Activity): void {
    clearInterval(timer);
    const { retry, compaction, isRunning } = activity;
    if (retry) {
      const tick = () => replaceChildren(seconds, `${Math.max(0, Math.ceil((retry.at - Date.now()) / 1000))} s`);
      timer = setInterval(tick, 1000);
      tick();
      replaceChildren(
        element,
        h(
          "p",
          { class: "activity-line is-warning" },
          h("strong", {}, "The model call failed. "),
          `Attempt ${retry.attempt} of ${retry.maxAttempts} in `,
          h("span", { "aria-hidden": "true" }, seconds),
          " ",
          h("button", { type: "button", class: "link-button", onclick: giveUp }, "Give up"),
        ),
        h("p", { class: "activity-reason" }, retry.errorMessage.slice(0, 500)),
      );
    } else if (compaction) {
      replaceChildren(
        element,
        line(`Summarizing older messages: ${COMPACTIONS[compaction.reason] ?? compaction.reason}`),
      );
    } else replaceChildren(element, isRunning && transcript.answer === undefined && line("Working"));
  }

  const line = (text: string) =>
    h("p", { class: "activity-line" }, h("span", { class: "pulse", "aria-hidden": "true" }), text);
  const giveUp = () => {
    rpc.abortRetry().catch(() => {}); // it has begun already
  };

  facts.activity.watch(show, signal);
  let isWriting = false;
  transcript.listen(
    {
      writing(answer) {
        if (isWriting === (answer !== undefined)) return;
        isWriting = answer !== undefined;
        show(facts.activity.value);
      },
    },
    signal,
  );
  signal.addEventListener("abort", () => clearInterval(timer));
  return element;
}
