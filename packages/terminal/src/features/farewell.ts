import type { FileSummary, RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { jobCount, jobLabel } from "../jobs/job-text.ts";
import { dollars } from "../status/amounts.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";

const MAX_FILES = 10;
const MAX_JOBS = 5;
const MAX_LABEL = 70;

interface Facts {
  sessionId: string | undefined;
  /** Without a file, nothing can be resumed. */
  isStored: boolean;
  hasMessages: boolean;
  cost: number;
  files: Map<string, FileSummary>;
}

const NOTHING = (): Facts => ({
  sessionId: undefined,
  isStored: false,
  hasMessages: false,
  cost: 0,
  files: new Map(),
});

/** Prints at the end how to resume the session, what it cost and which files its runs changed. */
export const farewell: Feature = (app) => {
  let facts = NOTHING();
  const read = async (session: RpcCore) => {
    const { sessionId, sessionFile, messageCount } = await session.getState();
    const { lifetime } = await session.getSessionStats();
    const files = sessionId === facts.sessionId ? facts.files : new Map<string, FileSummary>();
    const isStored = sessionFile !== undefined;
    facts = { sessionId, isStored, hasMessages: messageCount > 0, cost: lifetime.cost, files };
  };
  app.onSession((session) => {
    const readAgain = () => {
      read(session).catch((error) => app.report(error));
    };
    session.on("agent_start", () => {
      facts.hasMessages = true;
    });
    session.on("session_settled", readAgain);
    session.on("session_info_changed", ({ sessionId }) => {
      if (sessionId !== facts.sessionId) readAgain();
    });
    // In case the program ends before the result of the run, which has the net changes.
    session.on("files_changed", ({ files }) => {
      for (const file of files) if (!facts.files.has(file.path)) facts.files.set(file.path, file);
    });
    session.on("prompt_result", ({ filesChanged = [] }) => {
      for (const file of filesChanged) facts.files.set(file.path, file);
    });
  });
  app.onReady(read);
  app.onLeave(() => {
    const { sessionId, isStored, hasMessages, cost } = facts;
    if (sessionId === undefined || !hasMessages) return [];
    const { dim } = app.theme;
    const resume = app.options.attach ? `pintle --attach … --session ${sessionId}` : `pintle --resume ${sessionId}`;
    const isResumable = isStored || app.options.attach !== undefined;
    return [
      ...fileLines([...facts.files.values()]).map(dim),
      ...jobLines(app).map(dim),
      ...(cost > 0 ? [dim(`Cost: ${dollars(cost)}`)] : []),
      ...(isResumable ? [`${dim("Resume with:")} ${resume}`] : []),
    ];
  });
};

/** The jobs that were running end with the engine, except those of a gateway. */
function jobLines({ jobs: { list }, options }: App): string[] {
  if (list.length === 0) return [];
  const shown = list.slice(0, MAX_JOBS).map(({ job }) => `  ${truncated(jobLabel(job.label), MAX_LABEL)}`);
  const more = list.length > MAX_JOBS ? [`  … ${list.length - MAX_JOBS} more`] : [];
  const count = jobCount(list.length);
  return [options.attach ? `The server continues ${count}:` : `Stopped ${count}:`, ...shown, ...more];
}

function fileLines(files: readonly FileSummary[]): string[] {
  if (files.length === 0) return [];
  const shown = files
    .slice(0, MAX_FILES)
    .map(({ path, status, added, removed }) => `  ${shownText(path)} (${status}, +${added} −${removed})`);
  const more = files.length > MAX_FILES ? [`  … ${files.length - MAX_FILES} more`] : [];
  return ["Files changed:", ...shown, ...more];
}
