import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { type CreateAgentSessionOptions, createAgentSession, defineCustomTool, defineTool } from "../src/index.ts";
import { type ProjectFolder, projectFolder } from "./support/trust/project-folder.ts";

/** A session of a program that embeds pintle, with the offline model. */
async function embed({ cwd, home, root }: ProjectFolder, options: CreateAgentSessionOptions = {}) {
  const env = { HOME: join(root, "user"), PATH: process.env.PATH };
  const created = await createAgentSession({
    cwd,
    homeDir: home,
    env,
    flags: { model: "pintle/offline" },
    session: { inMemory: true },
    ...options,
  });
  return {
    ...created,
    async answer(text: string): Promise<string | undefined> {
      await created.session.prompt(text);
      return created.session.getLastAssistantText();
    },
    [Symbol.asyncDispose]: () => created.session.dispose(),
  };
}

const text = (text: string) => ({ content: [{ type: "text" as const, text }] });

describe("a program that embeds pintle", () => {
  test("hands over extensions, which begin at once", async () => {
    using folder = projectFolder();
    const events: string[] = [];
    await using pintle = await embed(folder, {
      extensions: [
        (pi) => {
          pi.on("session_start", ({ reason }) => void events.push(`start ${reason}`));
          pi.on("tool_call", ({ toolName }) => (toolName === "bash" ? { block: true, reason: "not here" } : undefined));
          pi.on("session_shutdown", ({ reason }) => void events.push(`end ${reason}`));
        },
      ],
    });
    expect(await pintle.answer("run echo hi")).toContain("not here");
    await pintle.session.dispose();
    expect(events).toEqual(["start startup", "end quit"]);
  });

  test("decides on calls itself: its yes counts, and silence and failure are a no", async () => {
    using folder = projectFolder();
    const answers: NonNullable<CreateAgentSessionOptions["approve"]>[] = [
      async () => ({ decision: "allow_once", by: "host" }),
      () => new Promise(() => {}),
      () => Promise.reject(new Error("broken")),
    ];
    const asked: string[] = [];
    await using pintle = await embed(folder, {
      settings: { "permissions.mode": "ask", "permissions.timeoutMs": 1000, "sandbox.mode": "off" },
      approve(question, signal) {
        asked.push(question.request.title);
        return answers[asked.length - 1]!(question, signal);
      },
    });
    for (const name of ["a", "b", "c"]) await pintle.answer(`call write {"path":"${name}","content":"x"}`);
    expect(asked).toEqual(["write a", "write b", "write c"]);
    expect(["a", "b", "c"].map((name) => existsSync(join(folder.cwd, name)))).toEqual([true, false, false]);
  });

  test("hands over tools in either order of arguments", async () => {
    using folder = projectFolder();
    const parameters = Type.Object({ n: Type.Number() });
    const described = { label: "Twice", description: "Doubles a number", parameters };
    await using pintle = await embed(folder, {
      customTools: [
        defineTool({
          ...described,
          name: "plain",
          execute: async (_id, { n }, signal) => text(`${n * 2} ${signal?.aborted}`),
        }),
        defineCustomTool({
          ...described,
          name: "custom",
          execute: async (_id, { n }, onUpdate, _ctx, signal) => text(`${n * 2} ${typeof onUpdate} ${signal?.aborted}`),
        }),
      ],
    });
    expect(await pintle.answer('call plain {"n":21}')).toContain("42 false");
    expect(await pintle.answer('call custom {"n":21}')).toContain("42 function false");
  });

  test("answers whether a project is trusted", async () => {
    const code = 'export default (pi) => { pi.registerCommand("theirs", { handler: async () => {} }); };';
    for (const [answer, names] of [
      [true, ["theirs"]],
      [false, []],
      ["yes", []],
    ] as const) {
      using folder = projectFolder({ ".pintle/extensions/theirs.ts": code });
      const asked: string[] = [];
      const trust: CreateAgentSessionOptions["trust"] = async ({ items }) => {
        asked.push(...items.map(({ name }) => name));
        return answer as boolean;
      };
      await using pintle = await embed(folder, { trust });
      expect((await pintle.session.commands.list()).map(({ name }) => name)).toEqual([...names]);
      expect(asked).toEqual(["theirs.ts"]);
    }
  });

  test("says where pintle's own directory is", async () => {
    using folder = projectFolder({ "~/prompts/greet.md": "Say hello" });
    await using pintle = await embed(folder);
    expect((await pintle.session.commands.list()).map(({ name }) => name)).toEqual(["greet"]);
  });
});
