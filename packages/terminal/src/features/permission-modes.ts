import type { PermissionMode } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { choose, pick } from "../questions/ask.ts";

/**
 * The presets that the key cycles through, the strictest first. `full` turns off the sandbox and all questions, so the user has to name
 * it.
 */
const CYCLED: readonly PermissionMode[] = ["plan", "ask", "workspace"];
const FULL: PermissionMode = "full";
const MEANINGS: Readonly<Record<PermissionMode, string>> = {
  plan: "reads only",
  ask: "asks before every change and command",
  workspace: "works in the directory and runs commands in the sandbox; asks for anything else",
  full: "no sandbox, no questions",
};

/** shift+tab selects the next preset, /permissions a given one. */
export const permissionModes: Feature = (app) => {
  let cycled = Promise.resolve();
  app.keys.on("cyclePermissions", () => {
    const cycle = async () => {
      const { session } = app;
      if (!session) return;
      const { permissionMode } = await session.getState({ brief: true });
      await session.setPermissionMode(CYCLED[(CYCLED.indexOf(permissionMode) + 1) % CYCLED.length]!);
    };
    // Pressing the key twice means two steps.
    cycled = cycled.then(cycle).catch((error) => app.report(error));
  });
  app.commands.add({
    name: "permissions",
    description: "choose what runs without a question",
    hint: [...CYCLED, FULL].join("|"),
    run: (rest) => change(app, rest),
  });
};

async function change(app: App, name: string): Promise<void> {
  const { session } = app;
  if (!session) return;
  const mode = name === "" ? await ask(app) : [...CYCLED, FULL].find((known) => known === name);
  if (mode) await session.setPermissionMode(mode);
  else if (name !== "")
    app.say(`There is no permission preset "${name}": use ${[...CYCLED, FULL].join(", ")}.`, "warning");
}

/** Resolves with undefined if the user cancels, or does not confirm `full`. */
async function ask(app: App): Promise<PermissionMode | undefined> {
  const items = [...CYCLED, FULL].map((value) => ({ value, label: value, description: MEANINGS[value] }));
  const value = await pick(app, { title: [app.theme.bold("Permissions")], items });
  const mode = [...CYCLED, FULL].find((known) => known === value);
  if (mode !== FULL) return mode;
  const confirmed = await choose(app, {
    title: [app.theme.warning(`${FULL} turns off the sandbox and all questions: every command runs with your rights.`)],
    items: [
      { value: "no", label: "leave the permissions as they are" },
      { value: FULL, label: `use ${FULL}` },
    ],
    isOpenedByUser: true,
  });
  return confirmed === FULL ? FULL : undefined;
}
