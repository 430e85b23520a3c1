import type { Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { isRecord } from "../text/is-record.ts";
import { shownText } from "../text/shown-text.ts";
import { diffLines } from "../tools/result-lines.ts";

const ITEMS = [
  { value: "apply", label: "apply" },
  { value: "discard", label: "discard" },
  { value: "view", label: "view all of it" },
];

/** Changes that a tool has staged: applied or discarded by the user. */
export const previews: Feature = (app) => {
  app.onSession((session) => {
    session.onPreview(async ({ label, details }, { signal }) => {
      const diff = isRecord(details) && typeof details.diff === "string" ? details.diff : undefined;
      const title = [app.theme.bold(shownText(label)), ...(diff === undefined ? [] : diffLines(diff, app.theme))];
      const items = ITEMS.filter(({ value }) => value !== "view" || diff !== undefined);
      for (;;) {
        const value = await choose(app, { title, items, signal });
        if (value === "apply" || value === "discard") return value;
        if (value !== "view")
          return signal.aborted ? undefined : { action: "discard", reason: "The user closed the question" };
        app.say(diff ?? "");
      }
    });
  });
};
