import type { App, Feature } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import { ACTIONS, type ActionName } from "../keys/actions.ts";
import type { Theme } from "../screen/theme.ts";
import { widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";

/** Columns needed to read a description next to its key. */
const MIN_MEANING = 30;

/** Implements `?` and /help, which list the actions with their current keys. */
export const help: Feature = (app) => {
  app.keys.on("help", () => {
    if (!app.editor.isEmpty) return false;
    show(app);
    return true;
  });
  app.commands.add({ name: "help", description: "keys and commands", run: () => show(app) });
};

function show(app: App): void {
  const names = Object.keys(ACTIONS).filter((name): name is ActionName => Object.hasOwn(ACTIONS, name));
  const keys = names.map((name) => [app.keys.keysOf(name).join(", "), ACTIONS[name].help] as const);
  const signs = [
    ["@path", "a file; completed while it is typed"],
    ["!command", "run a command yourself; its output joins the conversation, except after !!"],
  ] as const;
  const commands = app.commands.all.map(({ name, description }) => [`/${name}`, description] as const);
  const rows = [...keys.filter(([key]) => key !== ""), ...signs, ...commands];
  app.feed.add(finishedItem((width) => ["", ...rows.flatMap((row) => lines(row, rows, width, app.theme))]));
}

type Row = readonly [what: string, meaning: string];

/** Lays a row out in two columns; in a narrow window the meaning is on the line below. */
function lines([what, meaning]: Row, rows: readonly Row[], width: number, theme: Theme): string[] {
  const column = Math.max(...rows.map(([left]) => widthOf(left))) + 2;
  if (width - column < MIN_MEANING) {
    const below = wrapped(theme.dim(meaning), Math.max(1, width - 2)).map((line) => `  ${line}`);
    return [theme.accent(what), ...below];
  }
  const [first = "", ...others] = wrapped(theme.dim(meaning), width - column);
  return [`${theme.accent(what.padEnd(column))}${first}`, ...others.map((line) => `${" ".repeat(column)}${line}`)];
}
