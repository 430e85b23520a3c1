import type { AsyncJob } from "@pintle/client/core";
import { codeBlock } from "../../code/code-view.ts";
import { h, replaceChildren } from "../../dom.ts";
import type { LiveApp } from "../app.ts";
import { jobState } from "../jobs/job-words.ts";
import type { OpenSession } from "../state/open-session.ts";

const TICK_MS = 1000;
const TAIL_BYTES = 32 * 1024;

/** Shows the running and the ended jobs with their output, until the dialog is closed. */
export async function openJobs(app: LiveApp, session: OpenSession): Promise<void> {
  const list = h("ul", { class: "jobs-list" });
  const dialog = h(
    "dialog",
    { class: "jobs-dialog", "aria-labelledby": "jobs-title" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "jobs-title" }, "Background jobs"),
      h("button", { class: "quiet-button", "aria-label": "Close" }, "✕"),
    ),
    list,
  );
  const rows = new Map<string, JobRow>();
  const renew = async () => {
    const all = await session.jobs.all();
    if (all.length === 0)
      replaceChildren(list, h("li", { class: "jobs-none" }, "No command has run in the background."));
    else list.querySelector(".jobs-none")?.remove();
    for (const job of all) {
      const row = rows.get(job.id) ?? jobRow(app, session);
      if (!rows.has(job.id)) list.prepend(row.element);
      rows.set(job.id, row);
      await row.show(job);
    }
  };
  let isReading = false;
  const tick = () => {
    if (isReading) return;
    isReading = true;
    renew()
      .catch(() => {}) // the connection is away, or the session has ended; the page shows both
      .finally(() => {
        isReading = false;
      });
  };
  await renew();
  const timer = setInterval(tick, TICK_MS);
  const close = () => dialog.close();
  session.signal.addEventListener("abort", close);
  dialog.addEventListener("close", () => {
    clearInterval(timer);
    session.signal.removeEventListener("abort", close);
    dialog.remove();
    session.jobs.isShown.set(false);
  });
  document.body.append(dialog);
  dialog.showModal();
}

interface JobRow {
  readonly element: HTMLElement;
  show(job: AsyncJob): Promise<void>;
}

function jobRow(app: LiveApp, { rpc, jobs }: OpenSession): JobRow {
  const [label, state] = [h("code", { class: "jobs-command" }), h("span", { class: "jobs-state" })];
  const output = h("div", { class: "jobs-output" });
  let job: AsyncJob | undefined;
  let shown: number | undefined;
  const stop = h(
    "button",
    {
      type: "button",
      class: "small-button",
      onclick: () => app.act("Stopping the job", async () => job && (await jobs.stop(job))),
    },
    "Stop",
  );
  const details = h("details", {}, h("summary", {}, label, state), output);
  details.addEventListener("toggle", () => app.act("Reading the output", draw));
  const element = h("li", { class: "job" }, details, stop);

  async function draw(): Promise<void> {
    if (!job || !details.open || job.bytes === shown) return;
    shown = job.bytes;
    const fromByte = Math.max(0, job.bytes - TAIL_BYTES);
    const { text } = await rpc.getAsyncJobOutput(job.id, { fromByte, maxBytes: TAIL_BYTES });
    const end = text.trimEnd();
    replaceChildren(
      output,
      end === ""
        ? h("p", { class: "remark" }, "No output yet")
        : codeBlock(end, { lines: 16, side: "end", className: "output", label: "Output" }),
    );
  }

  return {
    element,
    async show(next) {
      job = next;
      const isRunning = next.status === "running";
      element.classList.toggle("is-running", isRunning);
      element.classList.toggle("is-failed", next.status === "failed");
      stop.hidden = !isRunning;
      if (label.textContent !== next.label) replaceChildren(label, next.label);
      replaceChildren(state, jobState(next, app.serverNow()));
      await draw();
    },
  };
}
