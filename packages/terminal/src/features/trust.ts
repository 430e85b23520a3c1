import type { Feature } from "../app.ts";
import { choose } from "../questions/ask.ts";
import { PagedLines } from "../questions/paged-lines.ts";
import { shownText } from "../text/shown-text.ts";
import { wrapped } from "../text/wrap.ts";

const NEXT = { value: "next", label: "show the next rows" };

/** Asks whether project code may run. Every answer except an explicit yes means no. */
export const trust: Feature = (app) => {
  app.onSession((session) => {
    session.onTrustRequest(async ({ project, items }, { signal }) => {
      const rows = items.map(({ kind, name, path }) => `  ${kind} ${shownText(name)} (${shownText(path)})`);
      const parts = new PagedLines((width) => rows.flatMap((row) => wrapped(app.theme.dim(row), width)), app.theme);
      const head = app.theme.bold(
        `${shownText(project)} contains project code, which would run with your rights. Allow it?`,
      );
      const answer = await choose(app, {
        title: (width) => [head, ...parts.rows(width)],
        items: [
          { value: "no", label: "no" },
          { value: "once", label: "yes, this time" },
          { value: "always", label: "yes, until it changes" },
          ...(parts.hasMore ? [NEXT] : []),
        ],
        staysOpen: (value) => {
          if (value === NEXT.value) parts.next();
          return value === NEXT.value;
        },
        signal,
      });
      const trusted = answer === "once" || answer === "always";
      // A command of the project that is typed now is known only when its code has loaded.
      if (trusted) app.commands.useSessionCommands(undefined);
      return { trusted, remember: answer === "always" };
    });
  });
};
