import type { AgentMessage, AsyncJob } from "@pintle/client";
import type { App } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import { endLine, factsOf, type JobFacts } from "../jobs/job-text.ts";
import { expandHint } from "../keys/expand-hint.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";

type ResultMessage = Extract<AgentMessage, { role: "custom" }>;

/** The message of a prompt directly follows a result that is delivered with it. */
const PROMPT_FOLLOWS_MS = 100;

/** Returns whether a message has the results of background jobs. */
export function isJobResult(message: ResultMessage): boolean {
  return message.customType === "async-result" && jobsIn(message).length > 0;
}

/** Shows how background jobs ended, and that the model receives their results. */
export class JobResults {
  readonly #app: App;
  /** Jobs whose end is on the screen. */
  readonly #shown = new Set<string>();
  /** Whether a run has started and no message of it was shown yet. */
  #isRunNew = false;
  /** A result was the first message of a run, which a prompt may have started. */
  #pending: { timer: ReturnType<typeof setTimeout>; message: ResultMessage } | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  runStarted(): void {
    this.#isRunNew = true;
  }

  ended(job: AsyncJob): void {
    this.#showEnd(factsOf(job));
  }

  /** Called before any other message is shown. `isPrompt`: the user sent it. */
  messageCame({ isPrompt }: { isPrompt: boolean }): void {
    this.#isRunNew = false;
    this.#decide(isPrompt);
  }

  /** Shows a message from the history or an event. Ends that are on the screen are not repeated. */
  show(message: ResultMessage): void {
    const jobs = jobsIn(message);
    const isLive = jobs.some(({ id }) => this.#shown.has(id));
    for (const job of jobs) if (!this.#shown.has(job.id)) this.#showEnd(job);
    if (this.#isRunNew) {
      const timer = setTimeout(() => this.#decide(false), PROMPT_FOLLOWS_MS);
      this.#pending = { timer, message };
    } else if (isLive) this.#say("The model receives the result", message);
    this.#isRunNew = false;
  }

  #decide(isPrompt: boolean): void {
    if (!this.#pending) return;
    const { timer, message } = this.#pending;
    clearTimeout(timer);
    this.#pending = undefined;
    const isTask = jobsIn(message).some(({ type }) => type === "task");
    const cause = isTask ? "background work has ended" : "a background command has ended";
    this.#say(isPrompt ? "The model receives the result" : `The agent continues, because ${cause}`, message);
  }

  #showEnd(job: JobFacts): void {
    this.#shown.add(job.id);
    const line = endLine(job, this.#app.theme);
    this.#app.feed.add(finishedItem((width) => ["", ...wrapped(line, width)]));
  }

  #say(text: string, { content }: ResultMessage): void {
    const { feed, folds, theme, keys } = this.#app;
    const all = shownText(typeof content === "string" ? content : "");
    const fold = folds.add("Result of background work", () => all);
    const rows = (width: number) => [
      ...wrapped(theme.dim(`${text}.${fold.isOpen ? "" : expandHint(keys)}`), width),
      ...(fold.isOpen ? all.split("\n").flatMap((line) => wrapped(theme.dim(line), width)) : []),
    ];
    feed.add(finishedItem(rows, fold));
  }
}

/** Reads the jobs in a message. Session files may contain anything. */
function jobsIn({ details }: ResultMessage): JobFacts[] {
  if (!isRecord(details) || !Array.isArray(details.jobs)) return [];
  return details.jobs.flatMap((job) => {
    if (!isRecord(job)) return [];
    const { jobId, type, label, status, exitCode, durationMs } = job;
    if (typeof jobId !== "string" || typeof label !== "string" || !isEnd(status)) return [];
    return [
      {
        id: jobId,
        type: type === "task" ? "task" : "bash",
        label,
        status,
        durationMs: typeof durationMs === "number" ? durationMs : 0,
        ...(typeof exitCode === "number" && { exitCode }),
      },
    ];
  });
}

const isEnd = (status: unknown): status is JobFacts["status"] =>
  status === "completed" || status === "failed" || status === "cancelled" || status === "aborted";
