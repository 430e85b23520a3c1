import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// examples/extensions, examples/custom-tools and the code in their pages, as somebody uses them who has just read about them.

const example = (path: string) => join(repository, "examples", path);
const textOf = ({ result }: Frame): string => result.content.map((block: Frame) => block.text).join("");
const isDialog = (method: string) => (frame: Frame) => frame.type === "extension_ui_request" && frame.method === method;

async function git(cwd: string, ...words: string[]): Promise<string> {
  const settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=trunk"];
  const child = Bun.spawn(["git", ...settings, ...words], { cwd, stdout: "pipe", stderr: "pipe" });
  return new Response(child.stdout).text();
}

/** The first block of TypeScript on a page. */
function firstCode(page: string): string {
  const code = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(repository, "docs", page), "utf8"))?.[1];
  if (code === undefined) throw new Error(`there is no code in ${page}`);
  return code;
}

describe("extensions", () => {
  test("ask-before-writing.ts asks through the host", async () => {
    using place = machine();
    await using rpc = await startRpc(["--extension", example("extensions/ask-before-writing.ts")], place);
    const write = async (path: string, isAllowed: boolean) => {
      await rpc.call("prompt", { message: `call write {"path":"${path}","content":"x"}` });
      const { id, title } = await rpc.until(isDialog("confirm"));
      rpc.send({ type: "extension_ui_response", id, confirmed: isAllowed });
      await rpc.until(({ type }) => type === "agent_settled");
      return [title, existsSync(join(place.cwd, path))];
    };
    expect(await write("no.txt", false)).toEqual(["Write no.txt?", false]);
    expect(await write("yes.txt", true)).toEqual(["Write yes.txt?", true]);
    await rpc.prompt('call write {"path":"src/free.txt","content":"x"}');
    expect(existsSync(join(place.cwd, "src/free.txt"))).toBe(true);
  });

  test("notes.ts keeps notes and lists them", async () => {
    using place = machine();
    await using rpc = await startRpc(["--extension", example("extensions/notes.ts")], place);
    await rpc.prompt('call take_note {"note":"tabs, not spaces"}');
    rpc.send({ id: "n", type: "prompt", message: "/notes" });
    expect((await rpc.until(isDialog("notify"))).message).toBe("tabs, not spaces");
    expect(rpc.frames.filter(isDialog("setStatus")).at(-1)?.statusText).toBe("1 notes");
  });

  test("redact.ts hides what the flag names", async () => {
    using place = machine({ API_TOKEN: "s3cr3t" });
    await using rpc = await startRpc(["--extension", example("extensions/redact.ts"), "--hide=API_TOKEN"], place);
    await rpc.prompt("run echo s3cr3t");
    expect(textOf(rpc.frames.find(({ type }) => type === "tool_execution_end")!)).toBe("[hidden]\n");
    await rpc.end();
    expect(await rpc.stderr()).not.toContain("--hide");
  });

  test("git-status.ts shows the model what changed, and stores nothing of it", async () => {
    await using chat = await chatPlace(says("ok"));
    await git(chat.place.cwd, "init");
    writeFileSync(join(chat.place.cwd, "new.txt"), "x");
    await using rpc = await startRpc([...CHAT, "--extension", example("extensions/git-status.ts")], chat.place);
    await rpc.prompt("hello");
    expect(JSON.stringify(chat.server.requests[0]!.body.messages.at(-1))).toContain("?? new.txt");
    const { messages } = (await rpc.call("get_messages")).data;
    expect(JSON.stringify(messages)).not.toContain("git-status");
  });

  test("commit.ts commits with the message it is given, or asks for one", async () => {
    using place = machine({
      GIT_AUTHOR_NAME: "T",
      GIT_AUTHOR_EMAIL: "t@e",
      GIT_COMMITTER_NAME: "T",
      GIT_COMMITTER_EMAIL: "t@e",
    });
    const cwd = join(place.root, "repo");
    mkdirSync(cwd);
    await git(cwd, "init");
    await using rpc = await startRpc(["--extension", example("extensions/commit.ts")], { cwd, env: place.env });
    const commit = async (words: string, answers: [method: string, answer: object][]) => {
      writeFileSync(join(cwd, `${words.length}.txt`), "x");
      rpc.send({ type: "prompt", message: `/commit ${words}` });
      for (const [method, answer] of answers) {
        const { id } = await rpc.until(isDialog(method));
        rpc.send({ type: "extension_ui_response", id, ...answer });
      }
      await rpc.until(({ type }) => type === "prompt_result");
      return (await git(cwd, "log", "-1", "--format=%s")).trim();
    };
    expect(await commit("first of all", [["confirm", { confirmed: true }]])).toBe("first of all");
    expect(await commit("not this", [["confirm", { confirmed: false }]])).toBe("first of all");
    const asked: [string, object][] = [
      ["input", { value: "asked" }],
      ["confirm", { confirmed: true }],
    ];
    expect(await commit("", asked)).toBe("asked");
    expect(rpc.frames.filter(isDialog("notify")).map(({ message }) => message)).toEqual([
      'Committed "first of all".',
      'Committed "asked".',
    ]);
  });

  test("second-opinion.ts says when there is no such model", async () => {
    using place = machine();
    await using rpc = await startRpc(["--extension", example("extensions/second-opinion.ts")], place);
    rpc.send({ type: "prompt", message: "/second-opinion nobody/knows" });
    const { message, notifyType } = await rpc.until(isDialog("notify"));
    expect([message, notifyType]).toEqual(['There is no usable model "nobody/knows"', "warning"]);
  });

  test("the first one in docs/extensions.md, saved where the page says", async () => {
    using place = machine();
    mkdirSync(join(place.root, ".pintle/extensions"), { recursive: true });
    writeFileSync(join(place.root, ".pintle/extensions/ask-before-push.ts"), firstCode("extensions.md"));
    await using rpc = await startRpc([], place);
    await rpc.call("prompt", { message: "run git push --dry-run" });
    const { id, title, message } = await rpc.until(isDialog("confirm"));
    expect([title, message]).toEqual(["Push?", "git push --dry-run"]);
    rpc.send({ type: "extension_ui_response", id, confirmed: false });
    expect(textOf(await rpc.until(({ type }) => type === "tool_execution_end"))).toBe("Nobody agreed to the push.");
  });
});

describe("custom tools", () => {
  test("json-value.ts", async () => {
    using place = machine();
    writeFileSync(join(place.cwd, "a.json"), JSON.stringify({ list: [{ name: "x" }], other: 1 }));
    await using rpc = await startRpc(["--custom-tool", example("custom-tools/json-value.ts")], place);
    const rows: [path: string, isError: boolean, text: string][] = [
      ["list.0.name", false, '"x"'],
      ["", false, '[\n  "list",\n  "other"\n]'],
      ["list.7", true, "There is no 7 in list.7"],
      ["constructor", true, "There is no constructor in constructor"],
    ];
    for (const [path, isError, text] of rows) {
      await rpc.prompt(`call json_value ${JSON.stringify({ file: "a.json", path })}`);
      const end = rpc.frames.findLast(({ type }) => type === "tool_execution_end") as Frame;
      expect([end.isError, textOf(end)]).toEqual([isError, text]);
    }
  });

  test("replace-in-files.ts previews, and the host decides", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "replace_in_files", args: { from: "colour", to: "color", files: ["notes.txt"] } }),
      says("staged"),
    );
    const file = join(chat.place.cwd, "notes.txt");
    writeFileSync(file, "my colour");
    const args = [...CHAT, "--custom-tool", example("custom-tools/replace-in-files.ts")];
    await using rpc = await startRpc(args, chat.place);
    await rpc.call("set_host_capabilities", { resolvePreviews: true });
    await rpc.call("prompt", { message: "go" });
    const { action } = await rpc.until(({ type }) => type === "pending_action_added");
    expect([action.label, readFileSync(file, "utf8")]).toEqual(['Replace "colour" in 1 file(s)', "my colour"]);
    rpc.send({ type: "resolve_pending_action", actionId: action.actionId, action: "apply" });
    await rpc.until(({ type }) => type === "agent_settled");
    expect(readFileSync(file, "utf8")).toBe("my color");
  });

  test("the first one in docs/custom-tools.md, with the command of the page", async () => {
    using place = machine();
    mkdirSync(join(place.root, ".pintle/tools"), { recursive: true });
    writeFileSync(join(place.root, ".pintle/tools/word-count.ts"), firstCode("custom-tools.md"));
    const words = ["-p", 'call word_count {"text":"one two three"}'];
    const { code, stdout } = await runProgram(["--model", "pintle/offline", ...words], place);
    expect([code, stdout]).toEqual([0, expect.stringContaining("3")]);
  });
});

test("every example is tried above, and begins with how to try it", () => {
  const own = readFileSync(import.meta.path, "utf8");
  for (const folder of ["extensions", "custom-tools"]) {
    for (const name of readdirSync(example(folder))) {
      expect([name, own.includes(`${folder}/${name}`)]).toEqual([name, true]);
      const text = readFileSync(example(`${folder}/${name}`), "utf8");
      expect([name, text.includes(`pintle --`) && text.includes(`examples/${folder}/${name}`)]).toEqual([name, true]);
    }
  }
});
