import { basename } from "node:path";
import { type FileChange, type PendingActionInfo, RpcCommandError, type RpcCore } from "@pintle/client";
import { ChosenParts } from "@pintle/page/chosen-parts";
import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import type { ChoiceItem } from "../questions/choice.ts";
import { PartPicker } from "../questions/part-picker.ts";
import { showInPager } from "../screen/pager.ts";
import { editInProgram } from "../screen/user-editor.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { DiffRows } from "../tools/diff-rows.ts";

const MAX_LINES = 24;
const PAGER_WIDTH = 1_000;
const PARTS: ChoiceItem = { value: "parts", label: "choose hunks, or edit files", key: "h" };
const VIEW: ChoiceItem = { value: "view", label: "view everything", key: "v" };
/** The first one is preselected. */
const ITEMS: readonly ChoiceItem[] = [
  { value: "discard", label: "discard", key: "n" },
  { value: "apply", label: "apply", key: "y" },
];

/** Asks whether a change that a tool has staged is applied, as a whole or in part, or discarded. */
export const previews: Feature = (app) => {
  app.onSession((session) => {
    session.onPreview(async (preview, { signal }) => {
      const { actionId, changes } = preview;
      const chosen = changes && new ChosenParts(changes);
      for (;;) {
        const value = await ask(app, preview, signal);
        if (value === PARTS.value && chosen) {
          if (!(await pickParts(app, session, { preview, chosen, signal }))) continue;
        } else if (value !== "apply") {
          if (value === "discard") return value;
          return signal.aborted ? undefined : { action: "discard", reason: "The user closed the question" };
        }
        const parts = value === PARTS.value ? chosen?.answer : undefined;
        const named = typeof parts === "object" ? parts : {};
        const isDone = await apply(app, () => session.resolvePendingAction("apply", { ...named, actionId }));
        if (isDone || signal.aborted) return undefined;
      }
    });
  });
};

/** Returns false if the change is still pending, for example because one of its files has changed meanwhile. */
async function apply(app: App, resolve: () => Promise<unknown>): Promise<boolean> {
  try {
    await resolve();
    return true;
  } catch (error) {
    // A lost connection is reported elsewhere.
    if (!(error instanceof RpcCommandError)) return true;
    app.say(error.message, "warning");
    return false;
  }
}

function ask(app: App, { label, details, changes }: PendingActionInfo, signal: AbortSignal) {
  const text = isRecord(details) && typeof details.diff === "string" ? details.diff : undefined;
  const diff = text === undefined ? undefined : new DiffRows(text, app.theme);
  const heading = app.theme.warning(app.theme.bold(shownText(label)));
  const items = [...ITEMS, ...(changes ? [PARTS] : []), ...(diff ? [VIEW] : [])];
  const staysOpen = (value: string) => {
    if (value === VIEW.value && diff) page(app, [heading, "", ...diff.all(PAGER_WIDTH)]);
    return value === VIEW.value;
  };
  const title = (width: number) => [...wrapped(heading, width), ...shortRows(app, diff, width)];
  return choose(app, { title, items, staysOpen, signal });
}

interface Picked {
  preview: PendingActionInfo;
  chosen: ChosenParts;
  signal: AbortSignal;
}

/** Lets the user choose and edit. Resolves with false if the user goes back, or the decision was made elsewhere. */
async function pickParts(app: App, session: RpcCore, { preview, chosen, signal }: Picked): Promise<boolean> {
  const { label, actionId } = preview;
  const onEdit = (change: FileChange) => {
    edit(app, session, { change, chosen, actionId }).catch((error) => app.report(error));
  };
  const make = (onDone: (isDecided: boolean) => void) =>
    new PartPicker({
      title: shownText(label).replaceAll("\n", " "),
      chosen,
      theme: app.theme,
      keys: app.keys.editor,
      rows: () => app.rows,
      onEdit,
      onView: (diff) => page(app, diff.all(PAGER_WIDTH)),
      onDone,
    });
  return (await app.questions.show<boolean>((done) => make(done), { signal, isOpenedByUser: true })) ?? false;
}

/** Opens the proposed text of a file, or the user's edited version of it. */
async function edit(
  app: App,
  session: RpcCore,
  { change, chosen, actionId }: { change: FileChange; chosen: ChosenParts; actionId: string },
): Promise<void> {
  const { content } = await session.getPendingFile(change.path, { actionId });
  const text = chosen.editOf(change) ?? content;
  const edited = await editInProgram(app, { name: basename(change.path), text, what: shownText(change.path) });
  if (edited === undefined) return;
  chosen.edit(change, edited === content ? undefined : edited);
  app.redraw();
}

function shortRows({ theme }: App, diff: DiffRows | undefined, width: number): string[] {
  const { rows, hidden } = diff?.short(width, MAX_LINES) ?? { rows: [], hidden: 0 };
  return hidden === 0 ? rows : [...rows, theme.warning(`… ${hidden} more lines: v shows everything`)];
}

function page(app: App, lines: readonly string[]): void {
  app.lend(() => showInPager(lines, app.options.env)).catch((error) => app.report(error));
}
