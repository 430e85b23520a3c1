import type { App, Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import type { ChoiceItem } from "../questions/choice.ts";
import { showInPager } from "../screen/pager.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";
import { DiffRows } from "../tools/diff-rows.ts";

const MAX_LINES = 24;
const PAGER_WIDTH = 1_000;
const VIEW: ChoiceItem = { value: "view", label: "view everything", key: "v" };
/** The first is preselected. */
const ITEMS: readonly ChoiceItem[] = [
  { value: "discard", label: "discard", key: "n" },
  { value: "apply", label: "apply", key: "y" },
];

/** Asks whether a change that a tool has staged is applied or discarded. */
export const previews: Feature = (app) => {
  app.onSession((session) => {
    session.onPreview(async ({ label, details }, { signal }) => {
      const text = isRecord(details) && typeof details.diff === "string" ? details.diff : undefined;
      const diff = text === undefined ? undefined : new DiffRows(text, app.theme);
      const heading = app.theme.warning(app.theme.bold(shownText(label)));
      const items = diff ? [...ITEMS, VIEW] : ITEMS;
      const staysOpen = (value: string) => {
        if (value === VIEW.value && diff) page(app, [heading, "", ...diff.all(PAGER_WIDTH)]);
        return value === VIEW.value;
      };
      const title = (width: number) => [...wrapped(heading, width), ...shortRows(app, diff, width)];
      const value = await choose(app, { title, items, staysOpen, signal });
      if (value === "apply" || value === "discard") return value;
      return signal.aborted ? undefined : { action: "discard", reason: "The user closed the question" };
    });
  });
};

function shortRows({ theme }: App, diff: DiffRows | undefined, width: number): string[] {
  const { rows, hidden } = diff?.short(width, MAX_LINES) ?? { rows: [], hidden: 0 };
  return hidden === 0 ? rows : [...rows, theme.warning(`… ${hidden} more lines: v shows everything`)];
}

function page(app: App, lines: readonly string[]): void {
  app.lend(() => showInPager(lines, app.options.env)).catch((error) => app.report(error));
}
