import type { AsyncJob } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import { count } from "../../format.ts";
import type { LiveApp, LivePart } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";
import { loadView } from "../views.ts";
import { jobTime } from "./job-words.ts";

const TICK_MS = 1000;

/** Background jobs: how many are running, above the message field; all of them in a dialog. Ctrl+B promotes a command. */
export const jobs: LivePart = (app) => {
  const { session, actions } = app;
  session.watch((open) => {
    if (!open) return;
    const renew = () => void open.jobs.renew().catch(() => {}); // the session has ended, which is reported separately
    open.on("session_snapshot", renew);
    open.jobs.isShown.onChange((isShown) => {
      if (isShown) app.act("Opening the jobs", () => show(app, open));
    }, open.signal);
  });
  const canPromote = () => (session.value?.jobs.promotable.value.length ?? 0) > 0;
  actions.push({
    label: "Move the running command to the background",
    isOffered: canPromote,
    act: () => session.value && promote(app, session.value),
  });
  document.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key.toLowerCase() !== "b" || !ctrlKey || metaKey || altKey || shiftKey || !canPromote()) return;
    event.preventDefault();
    if (session.value) promote(app, session.value);
  });
};

async function show(app: LiveApp, session: OpenSession): Promise<void> {
  try {
    const { openJobs } = await loadView("jobs");
    await openJobs(app, session);
  } catch (error) {
    session.jobs.isShown.set(false); // so that the next attempt is one
    throw error;
  }
}

function promote(app: LiveApp, { jobs }: OpenSession): void {
  app.act("Moving the command", async () => {
    if (!(await jobs.promote())) app.say("This command cannot continue in the background");
  });
}

/** One line: the number of jobs, and the command of the newest one. Shows all of them when it is pressed. */
export function jobsLine(app: LiveApp, session: OpenSession): HTMLElement {
  const { jobs, signal } = session;
  const [amount, label, time] = ["jobs-count", "jobs-label", "jobs-time"].map((name) => h("span", { class: name }));
  const element = h(
    "button",
    { type: "button", class: "jobs-line", onclick: () => jobs.isShown.set(true) },
    h("span", { class: "pulse", "aria-hidden": "true" }),
    amount,
    label,
    time,
  );
  const tick = () => {
    const newest = jobs.running.value.at(-1);
    if (newest && time) replaceChildren(time, jobTime(newest, app.serverNow()));
  };
  jobs.running.watch((running: readonly AsyncJob[]) => {
    const newest = running.at(-1);
    element.hidden = newest === undefined;
    if (amount) replaceChildren(amount, count(running.length, "background job"));
    if (label) replaceChildren(label, newest?.label ?? "");
    tick();
  }, signal);
  const timer = setInterval(tick, TICK_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  return element;
}

/** Moves the running command to the background. Shown while there is one. */
export function promoteButton(app: LiveApp): HTMLElement {
  const element = h(
    "button",
    {
      type: "button",
      class: "later-button",
      title: "Run the command in the background so that the agent can continue (Ctrl+B)",
      onclick: () => app.session.value && promote(app, app.session.value),
    },
    "To background",
  );
  app.session.watch((open) => {
    element.hidden = true;
    open?.jobs.promotable.watch(({ length }) => {
      element.hidden = length === 0;
    }, open.signal);
  });
  return element;
}
