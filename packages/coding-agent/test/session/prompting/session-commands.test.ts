import { expect, test } from "bun:test";
import type { AgentSessionEvent } from "@pintle/wire";
import fc from "fast-check";
import { toPiCommand } from "../../../src/resources/prompts/slash-commands.ts";
import { NO_HOOKS } from "../../../src/session/attached-hooks.ts";
import { extensionCommand, SessionCommands } from "../../../src/session/prompting/session-commands.ts";

const listOf = (names: readonly string[]) => names.map((name) => ({ name, source: "file" as const }));

/** The commands of a session whose templates are those of `templates.names`, and the lists that it announces. */
function open(templates: { names: readonly string[] }) {
  const announced: string[][] = [];
  const commands = new SessionCommands({
    hooks: () => NO_HOOKS,
    resources: { commands: async () => listOf(templates.names), expand: async (_cwd, text) => text },
    mcp: { loaded: undefined, beforePrompt: async () => {}, status: () => Promise.resolve([]) },
    cwd: () => "/",
    emit: (event: AgentSessionEvent) => {
      if (event.type === "available_commands_update") announced.push(event.commands.map(({ name }) => name));
    },
  });
  return { commands, announced };
}

test("only lists that differ from the previous one are announced, starting with the first that was read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.subarray(["a", "b"]), { minLength: 1 }), async (all) => {
      const templates: { names: readonly string[] } = { names: [] };
      const { commands, announced } = open(templates);
      for (const names of all) {
        templates.names = names;
        await commands.list(); // reading the list does not make it known, except for the first time
        await commands.announce();
      }
      const texts = all.map((names) => names.join());
      const changed = texts.filter((text, index) => index > 0 && text !== texts[index - 1]);
      expect(announced.map((names) => names.join())).toEqual(changed);
    }),
  );
});

test("announces the commands of a new directory to listeners that never asked for a list", async () => {
  const templates = { names: ["a"] };
  const { commands, announced } = open(templates);
  await commands.leaveDirectory("/");
  templates.names = ["b"];
  await commands.announce();
  expect(announced).toEqual([["b"]]);
});

test("announces nothing while extensions are replaced", async () => {
  const templates = { names: ["a"] };
  const { commands, announced } = open(templates);
  await commands.list();
  templates.names = ["b"];
  const resumes = [commands.hold(), commands.hold()];
  for (const resume of resumes) {
    await commands.announce();
    expect(announced).toEqual([]);
    resume();
  }
  await commands.announce();
  expect(announced).toEqual([["b"]]);
});

test.each([
  ["project", "project", "auto"],
  ["user", "user", "auto"],
  ["settings", "user", "local"],
  ["flag", "temporary", "cli"],
  ["inline", "temporary", "cli"],
] as const)("a command of an extension found by %s is one of %s, %s", (source, scope, shown) => {
  const sourceInfo = { path: "/x.ts", source, scope, origin: "top-level" as const };
  const command = extensionCommand({ name: "go", source: "extension", sourceInfo });
  expect(toPiCommand(command)?.sourceInfo).toEqual({ ...sourceInfo, source: shown });
});
