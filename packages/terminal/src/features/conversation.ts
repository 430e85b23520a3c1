import type { AgentMessage, RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { ConversationView } from "../conversation/conversation-view.ts";
import { isRecord } from "../text/is-record.ts";

/** The interval of frames while something runs, for spinners. */
const TICK_MS = 100;
/** The default events, and messages from outside a run. */
const EVENTS = ["*", "message_appended", "bash_execution_update"];
/** The most messages to show of a reopened session. */
const SHOWN_MESSAGES = 200;

/** Notices with this source are reported by the login feature, with advice. */
const MODEL_NOTICES = "model";

/** Shows the events of the session in the feed. */
export const conversation: Feature = (app) => {
  const ticker = new Ticker(() => app.redraw());
  const sessions = new WeakMap<RpcCore, Followed>();
  let shownSession: string | undefined;
  app.onSession((session) => {
    const followed: Followed = { view: new ConversationView(app), isShown: false, early: [], hasEnded: false };
    sessions.set(session, followed);
    follow(app, session, followed, ticker);
    session.on("session_info_changed", ({ sessionId }) => {
      if (shownSession === undefined || sessionId === shownSession || !followed.isShown) return;
      shownSession = sessionId;
      followed.view.close();
      app.say("── another session ──");
      showHistory(app, session, followed.view)
        .then(() => followed.view.close())
        .catch((error) => app.report(error));
    });
  });
  app.onReady(async (session) => {
    await session.setEventFilter({ events: EVENTS });
    const followed = sessions.get(session);
    if (!followed) return;
    followed.hasEnded = false;
    const { sessionId, isStreaming } = await session.getState({ brief: true });
    if (isStreaming) ticker.start();
    const isOther = sessionId !== shownSession;
    if (isOther && shownSession !== undefined) app.say("── another session ──");
    shownSession = sessionId;
    try {
      if (isOther) await showHistory(app, session, followed.view);
    } finally {
      // If the run continues, its calls may still be active; their end will be reported.
      if (isOther && !isStreaming) followed.view.close();
      followed.isShown = true;
      for (const message of followed.early.splice(0)) followed.view.show(message);
      if (isOther && followed.hasEnded) followed.view.close();
    }
  });
};

interface Followed {
  view: ConversationView;
  /** Whether the history is on the screen. */
  isShown: boolean;
  /** Messages that were complete before that; the history may contain them as well. */
  early: AgentMessage[];
  /** Whether a run has ended since the session was asked for one. */
  hasEnded: boolean;
}

function follow(app: App, session: RpcCore, followed: Followed, ticker: Ticker): void {
  const { view } = followed;
  /** Ignores updates until the history is shown; the next update contains everything so far. */
  const afterHistory =
    <E>(show: (event: E) => void) =>
    (event: E) => {
      if (followed.isShown) show(event);
    };
  const showFinal = (message: AgentMessage) => {
    if (followed.isShown) view.show(message);
    else followed.early.push(message);
  };
  session.on("agent_start", () => {
    ticker.start();
    view.runStarted();
  });
  session.on(
    "async_job_end",
    afterHistory(({ job }) => view.jobEnded(job)),
  );
  session.on(
    "message_start",
    afterHistory((event) => view.started(event)),
  );
  session.on(
    "message_update",
    afterHistory((event) => view.updated(event)),
  );
  session.on("message_end", ({ message }) => showFinal(message));
  session.on("message_appended", ({ message }) => {
    if (!app.shell.takeOwn(message)) showFinal(message);
  });
  session.on(
    "tool_execution_start",
    afterHistory((event) => view.toolStarted(event)),
  );
  session.on(
    "tool_execution_update",
    afterHistory((event) => view.toolUpdated(event)),
  );
  session.on(
    "tool_execution_end",
    afterHistory((event) => view.toolEnded(event)),
  );
  session.on("agent_end", () => {
    followed.hasEnded = true;
    view.close();
  });
  session.on("agent_settled", () => ticker.stop());
  app.onLost(() => {
    view.close();
    ticker.stop();
  });
  session.on("worker_exited", ({ code, signal }) => {
    view.close();
    ticker.stop();
    const how = signal === null ? `has exited with code ${code}` : `was ended by ${signal}`;
    app.say(`The engine of the session ${how}. The next message starts another one.`, "error");
  });
  session.on("session_snapshot", ({ entries, message, tools }) => {
    if (!followed.isShown) return;
    view.close();
    for (const entry of entries) if ("message" in entry && isMessage(entry.message)) view.show(entry.message);
    if (message) view.joined(message);
    for (const { toolCallId, toolName, args } of tools) {
      view.toolStarted({ type: "tool_execution_start", toolCallId, toolName, args: isRecord(args) ? args : {} });
    }
  });
  session.on("notice", ({ message, level, source }) => {
    if (source !== MODEL_NOTICES) app.say(message, level);
  });
  session.on("command_output", ({ text }) => app.say(text));
  session.on("extension_error", ({ extensionPath, error }) => app.say(`${extensionPath}: ${error}`, "error"));
  // The failed answer has already shown the reason.
  session.on("auto_retry_start", ({ attempt, maxAttempts, delayMs }) =>
    app.say(`Retrying in ${Math.ceil(delayMs / 1000)} s (${attempt} of ${maxAttempts})`, "warning"),
  );
  session.on("retry_fallback_applied", ({ from, to }) => app.say(`${from} failed; ${to} answers now`, "warning"));
  session.on("todo_reminder", ({ todos, attempt, maxAttempts }) => {
    const tasks = todos.length === 1 ? "1 task is" : `${todos.length} tasks are`;
    app.say(`The run continues: ${tasks} still open (reminder ${attempt} of ${maxAttempts}).`, "info");
  });
  session.on("ttsr_triggered", ({ rules }) => {
    const names = rules.map(({ name }) => name).join(", ");
    app.say(`The answer starts again: it broke the rule ${names}.`, "info");
  });
  session.on("auto_compaction_start", () => app.say("Summarizing older messages…"));
  session.on("budget_warning", ({ limit, used, max }) => app.say(`Budget: ${limit} ${used} of ${max}`, "warning"));
  session.on("budget_reached", ({ limit, max }) => app.say(`Budget: ${limit} has reached ${max}`, "warning"));
}

async function showHistory(app: App, session: RpcCore, view: ConversationView): Promise<void> {
  const { messages } = await session.getMessages();
  const shown = messages.slice(-SHOWN_MESSAGES);
  if (shown.length < messages.length) app.say(`… ${messages.length - shown.length} earlier messages`);
  for (const message of shown) {
    // Earlier calls without a result will never get one.
    if (message.role === "user" || message.role === "assistant") view.close();
    view.show(message);
  }
}

function isMessage(value: unknown): value is AgentMessage {
  return isRecord(value) && typeof value.role === "string";
}

/** Redraws while something runs, and only then. */
class Ticker {
  readonly #tick: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  start(): void {
    this.#timer ??= setInterval(this.#tick, TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
