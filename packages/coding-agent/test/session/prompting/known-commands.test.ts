import { expect, test } from "bun:test";
import type { AgentSessionEvent } from "@pintle/wire";
import fc from "fast-check";
import { toPiCommand } from "../../../src/resources/prompts/slash-commands.ts";
import { extensionCommand, KnownCommands } from "../../../src/session/prompting/known-commands.ts";

const listOf = (names: readonly string[]) => names.map((name) => ({ name, source: "file" as const }));

test("of all lists those are told that differ from the one before, beginning with what was there first", () => {
  const lists = fc.array(fc.subarray(["a", "b"]), { minLength: 1 });
  fc.assert(
    fc.property(lists, (all) => {
      const told: string[] = [];
      const known = new KnownCommands();
      const emit = known.withoutRepeats(
        (event) => void told.push(JSON.stringify((event as { commands: object }).commands)),
      );
      known.begin(listOf(all[0] as string[]));
      for (const names of all) {
        known.begin(listOf(names)); // somebody looks, which is no news
        emit({ type: "available_commands_update", commands: listOf(names) });
      }
      const texts = all.map((names) => JSON.stringify(listOf(names)));
      expect(told).toEqual(texts.filter((text, index) => index > 0 && text !== texts[index - 1]));
    }),
  );
});

test("before anybody has looked every list is news, and other events always pass", () => {
  const told: string[] = [];
  const emit = new KnownCommands().withoutRepeats(({ type }) => void told.push(type));
  const start: AgentSessionEvent = { type: "agent_start" };
  for (const event of [start, start]) emit(event);
  emit({ type: "available_commands_update", commands: [] });
  emit({ type: "available_commands_update", commands: [] });
  expect(told).toEqual(["agent_start", "agent_start", "available_commands_update"]);
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
