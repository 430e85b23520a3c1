import type { Interruption } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";
import type { Activity } from "../state/session-facts.ts";

const COMPACTIONS: Record<string, string> = {
  threshold: "the context is almost full",
  overflow: "the context was too long",
  idle: "while the session is idle",
  manual: "as requested",
};

const CAUSES: Record<Interruption["cause"], string> = {
  aborted: "The run was stopped.",
  error: "The run failed.",
  length: "The answer reached the length limit.",
  lost: "The run was lost with its process.",
};

/** Shows what is happening while no text is streamed: waiting, retrying, compacting. */
export function activityLine(app: LiveApp, session: OpenSession): HTMLElement {
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
    } else if (isRunning) replaceChildren(element, transcript.answer === undefined && line("Working"));
    else replaceChildren(element, facts.interrupted.value && interruption(facts.interrupted.value));
  }

  const line = (text: string) =>
    h("p", { class: "activity-line" }, h("span", { class: "pulse", "aria-hidden": "true" }), text);
  const interruption = ({ cause, uncertain }: Interruption) =>
    h(
      "p",
      { class: "activity-line is-warning is-over" },
      CAUSES[cause],
      uncertain.length > 0 && ` The effects of ${uncertain.map(({ toolName }) => toolName).join(", ")} are unknown.`,
      h("button", { type: "button", class: "link-button", onclick: continueRun }, "Continue"),
    );
  const continueRun = () => app.act("Continuing the run", () => rpc.continueRun());
  const giveUp = () => app.act("Giving up", () => rpc.abortRetry());

  facts.activity.watch(show, signal);
  facts.interrupted.onChange(() => show(facts.activity.value), signal);
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
