import type { App, Feature } from "../app.ts";
import { choose, pick } from "../questions/ask.ts";
import { SessionPicker } from "../questions/session-picker.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { changesSince, rewindTo } from "./undo.ts";

const MAX_LABEL = 200;
/** A long time limit, because a model writes the summary. */
const COMPACTION_TIMEOUT_MS = 600_000;
const line = (text: string) => shownText(text.slice(0, MAX_LABEL)).replaceAll("\n", " ");

/** Commands that open, branch, name, compact and export sessions. */
export const sessions: Feature = (app) => {
  app.keys.on("pickSession", () => {
    resume(app).catch((error) => app.report(error));
  });
  app.commands.add({ name: "resume", description: "choose another session", run: () => resume(app) });
  app.commands.add({ name: "new", description: "start an empty session", run: () => app.openSession() });
  app.commands.add({ name: "tree", description: "go back to an earlier message", run: () => goBack(app) });
  app.commands.add({
    name: "name",
    description: "name the session",
    hint: "text",
    run: (rest) => (rest === "" ? undefined : app.session?.setSessionName(rest)),
  });
  app.commands.add({
    name: "compact",
    description: "summarize the conversation so far, to free up context",
    hint: "[what matters]",
    run: (rest) => compact(app, rest),
  });
  app.commands.add({
    name: "export",
    description: "write the conversation as a page for the browser",
    hint: "[file]",
    run: async (rest) => {
      const written = await app.session?.exportHtml(rest === "" ? {} : { outputPath: rest });
      if (written) app.say(`Written: ${written.path}`);
    },
  });
};

async function compact(app: App, customInstructions: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  app.say("Summarizing older messages…");
  const { tokensBefore } = await session.compact({
    timeoutMs: COMPACTION_TIMEOUT_MS,
    ...(customInstructions !== "" && { customInstructions }),
  });
  app.say(`The earlier conversation was summarized (${tokensBefore} tokens).`);
}

async function resume(app: App): Promise<void> {
  const { sessions, theme } = app;
  if (!sessions) return;
  const id = await app.questions.show<string>(
    (onDone) =>
      new SessionPicker({
        sessions,
        theme,
        keys: app.keys.editor,
        rows: () => app.rows,
        onChange: () => app.redraw(),
        onError: (error) => app.report(error),
        onDone,
      }),
    { isOpenedByUser: true },
  );
  if (id !== undefined) await app.openSession(id);
}

/** Lists the user's messages on the current branch. The chosen one returns to the editor. */
async function goBack(app: App): Promise<void> {
  const { session } = app;
  if (!session) return;
  const { messages } = await session.getBranchMessages();
  if (messages.length === 0) return app.say("There is no earlier message.");
  const items = messages.toReversed().map(({ entryId, text }) => ({ value: entryId, label: line(text) }));
  const entryId = await pick(app, { title: [app.theme.bold("Continue before this message")], items });
  if (entryId === undefined) return;
  const what = (await changesSince(session, entryId)) ? await askWhat(app) : "conversation";
  if (what === undefined) return;
  // Files first: if that fails or is cancelled, the conversation stays where it is.
  if (what !== "conversation" && !(await rewindTo(app, entryId))) return;
  if (what === "files") return;
  const { cancelled, text } = await session.moveLeaf(entryId);
  if (cancelled) return;
  app.say("The conversation continues from an earlier entry.");
  if (isRecord({ text }) && text !== undefined && app.editor.isEmpty) app.editor.setText(text);
}

function askWhat(app: App): Promise<string | undefined> {
  const items = [
    { value: "conversation", label: "the conversation", key: "c" },
    { value: "both", label: "the conversation and the files", key: "b" },
    { value: "files", label: "the files", key: "f" },
  ];
  const title = () => [app.theme.bold("Files were changed since then. What goes back?")];
  return choose(app, { title, items, isOpenedByUser: true });
}
