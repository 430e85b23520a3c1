import type { Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { shownText } from "../text/shown-text.ts";

const MAX_ITEMS = 12;

/** Whether code that the project brings along may run. Nothing but a yes is one. */
export const trust: Feature = (app) => {
  app.onSession((session) => {
    session.onTrustRequest(async ({ project, items }, { signal }) => {
      const rows = items
        .slice(0, MAX_ITEMS)
        .map(({ kind, name, path }) => `  ${kind} ${shownText(name)} (${shownText(path)})`);
      const more = items.length > MAX_ITEMS ? [`  … and ${items.length - MAX_ITEMS} more`] : [];
      const answer = await choose(app, {
        title: [
          app.theme.bold(`${shownText(project)} brings code of its own. It runs with your rights. May it?`),
          ...[...rows, ...more].map(app.theme.dim),
        ],
        items: [
          { value: "no", label: "no" },
          { value: "once", label: "yes, this time" },
          { value: "always", label: "yes, until it changes" },
        ],
        signal,
      });
      return { trusted: answer === "once" || answer === "always", remember: answer === "always" };
    });
  });
};
