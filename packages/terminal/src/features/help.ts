import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { App, Feature } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import { ACTIONS, type ActionName } from "../keys/actions.ts";

/** `?` and /help: what can be done, with the keys that count now. */
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
    ["!command", "run a command yourself; its output joins the conversation, behind !! it does not"],
  ] as const;
  const commands = app.commands.all.map(({ name, description }) => [`/${name}`, description] as const);
  const rows = [...keys.filter(([key]) => key !== ""), ...signs, ...commands];
  const column = Math.max(...rows.map(([left]) => visibleWidth(left))) + 2;
  app.feed.add(
    finishedItem((width) => [
      "",
      ...rows.map(([left, right]) =>
        truncateToWidth(`${app.theme.accent(left.padEnd(column))}${app.theme.dim(right)}`, width, "…"),
      ),
    ]),
  );
}
