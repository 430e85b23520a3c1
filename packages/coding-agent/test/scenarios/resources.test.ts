import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHAT, type ChatPlace, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";

/** A provider that records its requests, and a project with these files; `~/` is pintle's directory. */
async function place(files: Record<string, string>): Promise<ChatPlace & { cwd: string; env: Record<string, string> }> {
  const chat = await chatPlace(says("fine"));
  const cwd = join(chat.place.root, "project");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const target = path.startsWith("~/") ? join(chat.place.env.PINTLE_HOME as string, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
  }
  return { ...chat, cwd, env: chat.place.env };
}

const SKILL = "---\nname: pdf\ndescription: Makes PDFs\n---\nUse the script.";

/** The last request to the model. */
function lastRequest({ server }: ChatPlace): { system: string; user: string } {
  const messages = server.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
  const textOf = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content));
  const last = messages.findLast(({ role }) => role === "user");
  return { system: textOf(messages[0]?.content), user: textOf(last?.content) };
}

describe("the system prompt that a model receives", () => {
  test("contains rules, skills, the directory and context files, in this order", async () => {
    await using at = await place({
      "~/AGENTS.md": "CONTEXT-USER",
      "AGENTS.md": "CONTEXT-PROJECT\u{e0041}",
      ".pintle/rules/style.md": "---\nalwaysApply: true\n---\nRULE-ALWAYS",
      ".pintle/rules/db.md": "---\ndescription: RULE-LISTED\n---\nnot shown",
      ".pintle/skills/pdf/SKILL.md": SKILL,
      ".pintle/APPEND_SYSTEM.md": "APPENDED",
    });
    await using rpc = await startRpc([...CHAT, "--append-system-prompt", "FLAG"], at);
    await rpc.prompt("hello");
    const { system } = lastRequest(at);
    const parts = [
      "You are pintle",
      "FLAG",
      "APPENDED",
      "RULE-ALWAYS",
      "RULE-LISTED",
      "<name>pdf</name>",
      `directory: ${at.cwd}`,
      "CONTEXT-USER",
      "CONTEXT-PROJECT",
    ];
    const places = parts.map((part) => system.indexOf(part));
    expect(places.every((found) => found >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(system).toEndWith("CONTEXT-PROJECT\n</project_instructions>");
    expect(system).not.toMatch(/not shown|\u{e0041}/u);
    expect((await rpc.call("get_state")).data.systemPrompt).toBe(system);
  });

  test("explains the available tools, and does not list them again", async () => {
    await using at = await place({});
    const systemOf = async (...flags: string[]) => {
      await using rpc = await startRpc([...CHAT, ...flags], at);
      await rpc.prompt("hello");
      const offered = at.server.requests.at(-1)?.body.tools as { function: { name: string } }[] | undefined;
      return { system: lastRequest(at).system, offered: (offered ?? []).map((tool) => tool.function.name) };
    };
    const all = await systemOf();
    expect(all.offered).toContain("resolve");
    expect(all.system).toMatch(/\n\nGuidelines:\n(- .+\n)+\n/);
    expect(all.system).not.toMatch(/^- \w+: /m);
    const few = await systemOf("--tools", "read,bash");
    expect(few.offered).toEqual(["bash", "read"]);
    expect(few.system).not.toMatch(/edit|grep|todo_write/);
    const none = await systemOf("--no-tools");
    expect(none.system).not.toMatch(/tools:|Guidelines:/);
  });

  test("stays identical byte for byte until the tools change", async () => {
    await using at = await place({ ".pintle/skills/pdf/SKILL.md": SKILL });
    await using rpc = await startRpc(CHAT, at);
    const say = async (text: string) => {
      await rpc.prompt(text);
      return lastRequest(at).system;
    };
    const first = await say("one");
    await rpc.call("set_session_name", { name: "other" });
    await rpc.call("set_thinking_level", { level: "high" });
    await rpc.call("set_model", { provider: "local", modelId: "thinker" });
    await rpc.call("get_available_commands");
    await rpc.call("bash", { command: "touch AGENTS.md" });
    expect(await say("/skill:pdf")).toBe(first);
    await rpc.call("new_session");
    expect(await say("three")).toBe(first);
    const tool = { name: "host_tool", description: "d", parameters: { type: "object", properties: {} } };
    await rpc.call("set_host_tools", { tools: [tool] });
    expect(await say("four")).toBe(first); // it adds no line
  });

  test("is the same for every call of a session", async () => {
    await using at = await place({ "AGENTS.md": "ONE" });
    await using rpc = await startRpc(CHAT, at);
    await rpc.prompt("hello");
    const first = lastRequest(at).system;
    writeFileSync(join(at.cwd, "AGENTS.md"), "TWO");
    await rpc.prompt("again");
    expect(lastRequest(at).system).toBe(first);
  });

  test.each([
    [["--no-context-files"], "CONTEXT"],
    [["-nc"], "CONTEXT"],
    [["--no-skills"], "<name>pdf"],
    [["--no-rules"], "RULE"],
    [["--skills", "x*"], "<name>pdf"],
    [["--tools", "bash"], "<name>pdf"],
    [["--system-prompt", "BASE"], "You are pintle"],
  ])("%p omits %s", async (flags, missing) => {
    await using at = await place({
      "AGENTS.md": "CONTEXT",
      ".pintle/rules/r.md": "---\nalwaysApply: true\n---\nRULE",
      ".pintle/skills/pdf/SKILL.md": SKILL,
    });
    await using rpc = await startRpc([...CHAT, ...flags], at);
    await rpc.prompt("hello");
    const { system } = lastRequest(at);
    const rest = ["You are pintle", "CONTEXT", "RULE", "<name>pdf"].filter((part) => part !== missing);
    expect([system.includes(missing), rest.filter((part) => !system.includes(part))]).toEqual([false, []]);
  });

  test("SYSTEM.md of a project replaces the base", async () => {
    await using at = await place({ ".pintle/SYSTEM.md": "PROJECT-BASE", "~/SYSTEM.md": "USER-BASE" });
    await using rpc = await startRpc(CHAT, at);
    await rpc.prompt("hello");
    expect(lastRequest(at).system).toStartWith("PROJECT-BASE\n\n");
  });
});

describe("slash commands", () => {
  const FILES = {
    ".pintle/skills/pdf/SKILL.md": SKILL,
    ".pintle/prompts/fix.md": "---\ndescription: Fixes\nargument-hint: <file>\n---\nFix $1 and then $@",
  };

  test("a template and a skill are sent as their content, anything else verbatim", async () => {
    await using at = await place(FILES);
    await using rpc = await startRpc(CHAT, at);
    await rpc.prompt('/fix "a b.ts" c.ts');
    expect(lastRequest(at).user).toContain("Fix a b.ts and then a b.ts c.ts");
    await rpc.prompt("/skill:pdf two pages");
    expect(lastRequest(at).user).toContain("Use the script.");
    expect(lastRequest(at).user).toContain("User: two pages");
    await rpc.prompt("/unknown thing");
    expect(lastRequest(at).user).toContain("/unknown thing");
  });

  test("are listed in both spellings", async () => {
    await using at = await place({ ...FILES, "~/prompts/user.md": "User's", "extra.md": "Extra" });
    await using rpc = await startRpc([...CHAT, "--prompt-template", "extra.md"], at);
    expect((await rpc.call("get_available_commands")).data.commands).toEqual([
      { name: "skill:pdf", description: "Makes PDFs", source: "skill" },
      { name: "fix", description: "Fixes", input: { hint: "<file>" }, source: "file" },
      { name: "user", description: "User's", source: "file" },
      { name: "extra", description: "Extra", source: "file" },
    ]);
    const rows = (await rpc.call("get_commands")).data.commands;
    expect(rows.map(({ name, source, location }: Record<string, string>) => [name, source, location])).toEqual([
      ["skill:pdf", "skill", "project"],
      ["fix", "prompt", "project"],
      ["user", "prompt", "user"],
      ["extra", "prompt", "path"],
    ]);
  });

  test.each([[["--no-skills", "--no-prompt-templates"]], [["-ns", "-np"]]])("%p: discovers none", async (flags) => {
    await using at = await place(FILES);
    await using rpc = await startRpc([...CHAT, ...flags], at);
    expect((await rpc.call("get_available_commands")).data.commands).toEqual([]);
  });

  test("finds a skill that is named explicitly", async () => {
    await using at = await place({ "mine/SKILL.md": SKILL });
    await using rpc = await startRpc([...CHAT, "--no-skills", "--skill", "mine"], at);
    expect((await rpc.call("get_available_commands")).data.commands).toMatchObject([{ name: "skill:pdf" }]);
  });
});
