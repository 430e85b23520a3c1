import type { LiveApp } from "../app.ts";
import type { OpenSession } from "../state/open-session.ts";

/** Slash commands that the page itself implements. A command of the session with the same name takes precedence. */
export interface PageCommand {
  description: string;
  /** The placeholder for its argument. */
  hint?: string;
  run(app: LiveApp, session: OpenSession, rest: string): void;
}

export const PAGE_COMMANDS: Readonly<Record<string, PageCommand>> = {
  compact: {
    description: "Replace older messages with a summary",
    hint: "[what to keep]",
    run: (app, { rpc, facts }, rest) =>
      app.act("The summary", async () => {
        facts.changeActivity({ compaction: { reason: "manual" } });
        try {
          await rpc.compact({ timeoutMs: SUMMARY_MS, ...(rest !== "" && { customInstructions: rest }) });
        } finally {
          facts.changeActivity({ compaction: undefined });
        }
      }),
  },
  continue: {
    description: "Continue an interrupted run",
    run: (app, { rpc }) => app.act("Continuing the run", () => rpc.continueRun()),
  },
  jobs: {
    description: "Show background jobs and their output",
    run: (_, { jobs }) => jobs.isShown.set(true),
  },
  name: {
    description: "Give the session a name",
    hint: "<name>",
    run: (app, { rpc }, rest) => app.act("Naming the session", () => rpc.renameSession(rest)),
  },
  new: {
    description: "Start another session",
    run: (app) => app.open({}),
  },
};

const SUMMARY_MS = 10 * 60 * 1000;

/** Returns undefined if the message is for the session. */
export function readPageCommand(text: string): { command: PageCommand; rest: string } | undefined {
  const [, name = "", rest = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const command = Object.hasOwn(PAGE_COMMANDS, name) ? PAGE_COMMANDS[name] : undefined;
  return command && { command, rest: rest.trim() };
}
