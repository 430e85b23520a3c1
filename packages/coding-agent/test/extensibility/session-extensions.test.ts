import { describe, expect, test } from "bun:test";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import { createAgentSession } from "../../src/sdk.ts";
import type { AgentSessionEvent } from "../../src/session/session-events.ts";
import { freshPlace } from "../session/test-session.ts";
import { moduleFolder } from "./module-folder.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nBody`;
const said = (count: number): ScriptedAnswer[] => Array.from({ length: count }, () => [{ text: "ok" }]);

/** The real thing, with an extension in a file and its resources beside it. */
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
    ...{ folder, session, modules, announced },
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
  test("are announced at the start, listed for extensions, and asked for again at a reload", async () => {
    await using here = await start(said(2), RESOURCES, {
      "startup/SKILL.md": skill("first"),
      "reload/SKILL.md": skill("second"),
      "prompts/p.md": "text",
    });
    const { session, modules, announced, announcement, prompts } = here;
    const first = announcement();
    modules.start();
    await first;
    expect(announced).toEqual([["again", "list", "skill:first", "p"]]);
    await session.prompt("/list");
    expect(session.sessionName).toBe(
      [
        "extension again flag temporary",
        "extension list flag temporary",
        "skill skill:first extension temporary",
        "prompt p extension temporary",
      ].join(", "),
    );
    await session.prompt("one");
    here.folder.write("prompts/q.md", "more");
    const second = announcement();
    await session.prompt("/again");
    await second;
    const after = announced.slice(1);
    expect(after).toEqual(after.map(() => ["again", "list", "skill:second", "p", "q"])); // never those of before
    await session.prompt("two");
    expect(prompts().map((text) => /<name>(\w+)<\/name>/.exec(text)?.[1])).toEqual(["first", "second"]);
  });

  test("nobody is asked before the session begins", async () => {
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
    const told = here.announcement();
    here.modules.start();
    await told;
    expect(here.session.sessionName).toBe("start discover");
  });
});
