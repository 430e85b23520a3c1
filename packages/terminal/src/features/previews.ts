import type { Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { diffLines } from "../tools/result-lines.ts";

/** The first is preselected. */
const ITEMS = [
  { value: "discard", label: "discard" },
  { value: "apply", label: "apply" },
  { value: "view", label: "view all of it" },
];

/** Changes that a tool has staged: applied or discarded by the user. */
export const previews: Feature = (app) => {
  app.onSession((session) => {
    session.onPreview(async ({ label, details }, { signal }) => {
      const diff = isRecord(details) && typeof details.diff === "string" ? details.diff : undefined;
      const title = [app.theme.bold(shownText(label)), ...(diff === undefined ? [] : diffLines(diff, app.theme))];
      const items = ITEMS.filter(({ value }) => value !== "view" || diff !== undefined);
      const staysOpen = (value: string) => {
        if (value === "view") app.say(diff ?? "");
        return value === "view";
      };
      const value = await choose(app, { title, items, staysOpen, signal });
      if (value === "apply" || value === "discard") return value;
      return signal.aborted ? undefined : { action: "discard", reason: "The user closed the question" };
    });
  });
};
