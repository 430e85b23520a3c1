import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { createAgentSession } from "../../src/sdk/create-session.ts";
import { moduleFolder } from "../support/extensibility/module-folder.ts";
import { freshPlace } from "../support/session/test-session.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nBody`;
const said = (count: number): ScriptedAnswer[] => Array.from({ length: count }, () => [{ text: "ok" }]);

/** A real session, with an extension in a file and its resources next to it. */
async function start(answers: readonly ScriptedAnswer[], source: string, files: Record<string, string> = {}) {
  const folder = moduleFolder();
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  const { home, cwd } = freshPlace();
  const { stream, requests } = scriptedModel(answers);
  const { session, modules } = await createAgentSession({
    cwd,
    env: { PINTLE_HOME: home },
    flags: { model: "acme/large" },
    stream,
    additionalExtensionPaths: [folder.write("ext.ts", source)],
    publicExports: () => import("../../src/index.ts"),
  });
  const announced: string[][] = [];
  const waiting: (() => void)[] = [];
  session.subscribe((event: AgentSessionEvent) => {
    if (event.type !== "available_commands_update") return;
    announced.push(event.commands.map(({ name }) => name));
    waiting.shift()?.();
  });
  return {
    folder,
    cwd,
    session,
    modules,
    announced,
    /** Resolves with the next announcement. */
    announcement: () => new Promise<void>((resolve) => waiting.push(resolve)),
    prompts: () => requests.map(({ context }) => context.systemPrompt ?? ""),
    [Symbol.asyncDispose]: async () => {
      await session.dispose();
      folder[Symbol.dispose]();
    },
  };
}

const RESOURCES = `export default (pi) => {
  pi.on("resources_discover", ({ reason }) => ({ skillPaths: [reason], promptPaths: ["prompts"] }));
  pi.registerCommand("again", { handler: (args, ctx) => ctx.reload() });
  pi.registerCommand("list", { handler: () => pi.setSessionName(pi.getCommands().map((c) => c.source + " " + c.name +
    " " + c.sourceInfo.source + " " + c.sourceInfo.scope).join(", ")) });
};`;

describe("resources of extensions", () => {
  test("are available from the start, listed for extensions, and discovered again at a reload", async () => {
    await using here = await start(said(2), RESOURCES, {
      "startup/SKILL.md": skill("first"),
      "reload/SKILL.md": skill("second"),
      "prompts/p.md": "text",
    });
    const { session, modules, announced, announcement, prompts } = here;
    modules.start();
    expect((await session.commands.list()).map(({ name }) => name)).toEqual(["again", "list", "skill:first", "p"]);
    await session.prompt("one");
    await session.prompt("/list");
    expect(session.sessionName).toBe(
      [
        "extension again flag temporary",
        "extension list flag temporary",
        "skill skill:first extension temporary",
        "prompt p extension temporary",
      ].join(", "),
    );
    here.folder.write("prompts/q.md", "more");
    const changed = announcement();
    await session.prompt("/again");
    await changed;
    await session.prompt("two");
    expect(announced).toEqual([["again", "list", "skill:second", "p", "q"]]); // and not what was there from the start
    expect(prompts().map((text) => /<name>(\w+)<\/name>/.exec(text)?.[1])).toEqual(["first", "second"]);
  });

  test("are not discovered before the session starts", async () => {
    await using here = await start(
      [],
      `const log = [];
       export default (pi) => {
         pi.on("session_start", () => { log.push("start"); });
         pi.on("resources_discover", () => { log.push("discover"); pi.setSessionName(log.join(" ")); });
       };`,
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(here.session.sessionName).toBeUndefined();
    here.modules.start();
    await here.session.commands.list();
    expect(here.session.sessionName).toBe("start discover");
  });
});

test("a reload reads rules again, both those in the prompt and those that watch the output", async () => {
  await using here = await start(
    [[{ text: "forbidden" }], [{ text: "forbidden" }], [{ text: "better" }]],
    `export default (pi) => pi.registerCommand("again", { handler: (args, ctx) => ctx.reload() });`,
  );
  const { session, modules, cwd, prompts } = here;
  const rule = (name: string, text: string) => {
    mkdirSync(join(cwd, ".pintle/rules"), { recursive: true });
    writeFileSync(join(cwd, ".pintle/rules", name), text);
  };
  const triggered: string[] = [];
  session.subscribe((event) => {
    if (event.type === "ttsr_triggered") triggered.push(...event.rules.map(({ name }) => name));
  });
  modules.start();
  rule("tone.md", "---\nalwaysApply: true\n---\nSound kind.");
  await session.prompt("one");
  rule("tone.md", "---\nalwaysApply: true\n---\nSound calm.");
  rule("words.md", "---\ncondition: forbidden\n---\nSay it otherwise.");
  await session.prompt("/again");
  await session.prompt("two");
  expect(prompts().map((text) => /Sound \w+\./.exec(text)?.[0])).toEqual(["Sound kind.", "Sound calm.", "Sound calm."]);
  expect(triggered).toEqual(["words"]);
});
