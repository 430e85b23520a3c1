import { describe, expect, test } from "bun:test";
import { type Answer, ask, greeting, play, user } from "../support/offline/play.ts";

const gives = (answer: Answer) => () => answer;
const lines = (count: number, text = "line") => Array.from({ length: count }, (_, index) => `${text} ${index + 1}`);

describe("list", () => {
  test("names and counts", async () => {
    expect(await ask("list src", { tools: { ls: gives("a.ts\nb/\nc.md") } })).toEqual([
      'off_1 ls {"path":"src"}',
      "`src` has 3 entries: a.ts, b/, c.md",
    ]);
  });
  test("of the working directory", async () => {
    expect(await ask("What files are here?", { tools: { ls: gives("a") } })).toEqual([
      "off_1 ls {}",
      "This directory has 1 entry: a",
    ]);
    expect((await ask("list", { tools: { ls: gives("(empty directory)") } }))[1]).toBe("This directory is empty.");
  });
  test("shows the first of many names, and what the tool left out", async () => {
    const notice = "[60 of 900 entries are shown. Use limit=1000 for more.]";
    const [, said = ""] = await ask("list", { tools: { ls: gives(`${lines(60, "f").join("\n")}\n\n${notice}`) } });
    expect(said).toStartWith("This directory has 60 entries: f 1, f 2, ");
    expect(said).toEndWith(`f 50, … and 10 more\n${notice}`);
  });
});

describe("read", () => {
  test("a short file is shown whole", async () => {
    expect(await ask("read a.txt", { tools: { read: gives("one\ntwo\n") } })).toEqual([
      'off_1 read {"path":"a.txt"}',
      "`a.txt` has 2 lines:\n```\none\ntwo\n```",
    ]);
  });
  test("shows the first lines of a long file", async () => {
    const [, said] = await ask("show a.txt", { tools: { read: gives(lines(12).join("\n")) } });
    expect(said).toBe(`\`a.txt\` has 12 lines. It begins:\n\`\`\`\n${lines(10).join("\n")}\n\`\`\``);
  });
  test("reports what the tool left out", async () => {
    const notice = "[Lines 1-2 of 99. Use offset=3 to continue.]";
    const [, said] = await ask("read a", { tools: { read: gives(`x\ny\n\n${notice}`) } });
    expect(said).toBe(`I was given 2 lines of \`a\`:\n\`\`\`\nx\ny\n\`\`\`\n${notice}`);
    expect((await ask("read a", { tools: { read: gives("[The file is empty.]") } }))[1]).toBe(
      "`a` has 0 lines.\n[The file is empty.]",
    );
  });
  test("a bracket at the end of the file is not taken for a notice", async () => {
    expect((await ask("read a", { tools: { read: gives("x = [\n]\n[y]") } }))[1]).toBe(
      "`a` has 3 lines:\n```\nx = [\n]\n[y]\n```",
    );
  });
  test("long lines are cut, and a fence in the file does not end ours", async () => {
    const [, said] = await ask("read a", { tools: { read: gives(`\`\`\`\n${"x".repeat(300)}`) } });
    expect(said).toBe(`\`a\` has 2 lines:\n\`\`\`\`\n\`\`\`\n${"x".repeat(200)}…\n\`\`\`\``);
  });
  test("an image cannot be seen", async () => {
    const content = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];
    expect((await ask("read a.png", { tools: { read: gives({ content }) } }))[1]).toBe(
      "`a.png` is an image, which I cannot see.",
    );
  });
});

describe("search", () => {
  test("counts hits per file", async () => {
    const found =
      "src/a.ts:3: foo: 1\nsrc/a.ts:10: foo\nb:c.md:7:\n\n[Lines longer than 500 characters are truncated.]";
    expect(await ask("search foo in src", { tools: { grep: gives(found) } })).toEqual([
      'off_1 grep {"pattern":"foo","path":"src","literal":true}',
      "3 hits for `foo` in 2 files:\n- src/a.ts: 2\n- b:c.md: 1\n[Lines longer than 500 characters are truncated.]",
    ]);
  });
  test("says if there are no hits", async () => {
    expect(await ask("find a.b", { tools: { grep: gives("No matches found.") } })).toEqual([
      'off_1 grep {"pattern":"a.b","literal":true}',
      "No hits for `a.b`.",
    ]);
  });
  test("is bounded", async () => {
    const [, said = ""] = await ask("find x", {
      tools: {
        grep: gives(
          lines(99, "f")
            .map((f) => `${f}:1: x`)
            .join("\n"),
        ),
      },
    });
    expect(said).toStartWith("99 hits for `x` in 99 files:\n- f 1: 1\n");
    expect(said).toEndWith("- f 30: 1\n- … and 69 more");
  });
});

describe("run", () => {
  test("reports the exit code and the end of the output", async () => {
    expect(await ask("run make", { tools: { bash: gives(`${lines(12).join("\n")}\n`) } })).toEqual([
      'off_1 bash {"command":"make"}',
      `\`make\` exited with code 0. The end of its output:\n\`\`\`\n${lines(12).slice(2).join("\n")}\n\`\`\``,
    ]);
    expect((await ask("$ true", { tools: { bash: gives("(no output)") } }))[1]).toBe(
      "`true` exited with code 0 and printed nothing.",
    );
  });
  test("stops at a command that fails", async () => {
    const bash = gives({ error: "oh\n\nCommand exited with code 3" });
    expect(await ask("run false\nlist\nlist b", { tools: { bash, ls: gives("a") } })).toEqual([
      'off_1 bash {"command":"false"}',
      "`false` exited with code 3:\n```\noh\n```\n\nI stop here; 2 requests are left.",
    ]);
    const silent = gives({
      error: "(no output)\n\nCommand was killed by signal SIGTERM\nCommand exited with code 143",
    });
    expect((await ask("run x", { tools: { bash: silent } }))[1]).toBe("`x` exited with code 143 and printed nothing.");
  });
  test("says why a command did not finish", async () => {
    const bash = gives({ error: "Command timed out after 300 seconds" });
    expect((await ask("run x", { tools: { bash } }))[1]).toBe("`x` failed: Command timed out after 300 seconds");
  });
});

test("write reports what was created", async () => {
  expect(await ask("write a.txt: hello", { tools: { write: gives("Created a.txt (5 bytes)") } })).toEqual([
    'off_1 write {"path":"a.txt","content":"hello"}',
    "Created a.txt (5 bytes).",
  ]);
});

describe("rename", () => {
  const preview = "Preview only, nothing written. Call resolve to apply or discard.\n\n-1:1 a\n+1:1 b";
  const ast_edit = gives(preview);
  test("edits and applies", async () => {
    const resolve = gives("Applied 2 replacements in 1 file.");
    expect(await ask("rename a to b in src", { tools: { ast_edit, resolve } })).toEqual([
      'off_1 ast_edit {"ops":[{"pat":"a","out":"b"}],"path":"src"}',
      'off_2 resolve {"action":"apply","reason":"The request was: rename a to b in src"}',
      "Applied 2 replacements in 1 file.",
    ]);
  });
  test("shows and discards if only a preview is wanted", async () => {
    const resolve = gives("Discarded: AST Edit: 1 replacement in 1 file. Reason: x");
    expect(await ask("rename a to b, preview only", { tools: { ast_edit, resolve } })).toEqual([
      'off_1 ast_edit {"ops":[{"pat":"a","out":"b"}]}',
      'off_2 resolve {"action":"discard","reason":"The request was: rename a to b, preview only"}',
      "```\n-1:1 a\n+1:1 b\n```\n\nDiscarded: AST Edit: 1 replacement in 1 file. Reason: x",
    ]);
  });
  test("resolves nothing if nothing was found", async () => {
    const nothing = gives("No replacements made.");
    expect(await ask("rename a to b", { tools: { ast_edit: nothing, resolve: gives({ error: "no" }) } })).toEqual([
      'off_1 ast_edit {"ops":[{"pat":"a","out":"b"}]}',
      "No replacements made.",
    ]);
  });
  test("reports the host's decision if there is no resolve tool", async () => {
    const content = [preview, "Discarded: AST Edit. Reason: not today"].map((text) => ({
      type: "text" as const,
      text,
    }));
    expect((await ask("rename a to b", { tools: { ast_edit: gives({ content }) } }))[1]).toBe(
      "Discarded: AST Edit. Reason: not today",
    );
  });
  test("stops when either fails", async () => {
    expect((await ask("rename a to b", { tools: { ast_edit: gives({ error: "Path not found: x" }) } }))[1]).toBe(
      "`rename a to b` failed: Path not found: x",
    );
    const resolve = gives({ error: "Preview is stale: 1 file(s) changed\nmore" });
    expect((await ask("rename a to b then list", { tools: { ast_edit, resolve, ls: gives("a") } }))[2]).toBe(
      "`rename a to b` failed: Preview is stale: 1 file(s) changed\n\nI stop here; 1 request is left.",
    );
  });
});

describe("plan", () => {
  const ok = gives("ok");
  const update = (n: number, id: string) =>
    `off_${n} todo_write {"ops":[{"op":"update","id":"${id}","status":"completed"}]}`;
  test("works through the items it understands and marks them", async () => {
    const tools = { todo_write: ok, ls: gives("a"), read: gives("x") };
    expect(await ask("plan: list; be happy; read a; find x; plan: list", { tools })).toEqual([
      'off_1 todo_write {"ops":[{"op":"replace","phases":[{"name":"Plan","tasks":[{"content":"list"},{"content":"be happy"},{"content":"read a"},{"content":"find x"},{"content":"plan: list"}]}]}]}',
      "off_2 ls {}",
      "This directory has 1 entry: a",
      update(3, "task-1"),
      'off_4 read {"path":"a"}',
      "`a` has 1 line:\n```\nx\n```",
      update(5, "task-3"),
      "I cannot do `find x`: the tool `grep` is not active.\n\n2 of 5 items of the plan done; left open: `be happy`, `find x`, `plan: list`.",
    ]);
  });
  test("stops at an item that fails", async () => {
    const tools = { todo_write: ok, ls: gives({ error: "No such directory" }), read: ok };
    expect((await ask("plan: list x; read a", { tools })).slice(1)).toEqual([
      'off_2 ls {"path":"x"}',
      "`list x` failed: No such directory",
    ]);
  });
  test("stops when the list cannot be written", async () => {
    expect((await ask("plan: list", { tools: { todo_write: gives({ error: "no" }), ls: ok } })).slice(1)).toEqual([
      "`plan: list` failed: no",
    ]);
    const todo_write = (_args: object, nth: number) => (nth === 0 ? "ok" : { error: "gone" });
    expect((await ask("plan: list; list", { tools: { todo_write, ls: gives("a") } })).slice(3)).toEqual([
      update(3, "task-1"),
      "`plan: list; list` failed: gone",
    ]);
  });
});

describe("call", () => {
  test("reaches any tool with any arguments", async () => {
    expect(await ask('call deploy {"to": ["x"], "dry": true}', { tools: { deploy: gives("one\ntwo") } })).toEqual([
      'off_1 deploy {"to":["x"],"dry":true}',
      "`deploy` answered:\n```\none\ntwo\n```",
    ]);
    expect((await ask("call deploy", { tools: { deploy: gives("") } }))[1]).toBe("`deploy` answered.");
  });
  test("mentions an image in the answer that it cannot see", async () => {
    const content = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];
    expect((await ask("call camera", { tools: { camera: gives({ content }) } }))[1]).toBe(
      "`camera` answered.\nThere is an image in its answer, which I cannot see.",
    );
  });
  test.each(["call deploy {bad}", "call deploy {} {}"])("needs an object: %j", async (text) => {
    expect(await ask(text, { tools: { deploy: gives("x") } })).toEqual([
      `I cannot do \`${text}\`: the arguments must be a JSON object.`,
    ]);
  });
});

describe("several requests", () => {
  test("are done one after the other; each is reported with the next call", async () => {
    const tools = { ls: gives("a"), read: gives("x"), write: gives("Created b (1 byte)") };
    expect(await ask("list then read a\nsearch x\nwrite b: c", { tools })).toEqual([
      "off_1 ls {}",
      "This directory has 1 entry: a",
      'off_2 read {"path":"a"}',
      "`a` has 1 line:\n```\nx\n```\n\nI cannot do `search x`: the tool `grep` is not active.",
      'off_3 write {"path":"b","content":"c"}',
      "Created b (1 byte).",
    ]);
  });
  test("that repeat are done as often as requested", async () => {
    expect(await ask("list\nlist", { tools: { ls: (_args, nth) => `f${nth}` } })).toEqual([
      "off_1 ls {}",
      "This directory has 1 entry: f0",
      "off_2 ls {}",
      "This directory has 1 entry: f1",
    ]);
  });
  test("with an unknown one end with the list of known requests", async () => {
    const words = await ask("why?\nlist", { tools: { ls: gives("a") } });
    expect(words[0]).toBe("off_1 ls {}");
    expect(words[1]).toStartWith("This directory has 1 entry: a\n\nI understand these requests");
  });
  test("stop at a failure, whose first line is quoted and bounded", async () => {
    const [, said] = await ask("read a", { tools: { read: gives({ error: `\n${"e".repeat(500)}\nmore` }) } });
    expect(said).toBe(`\`read a\` failed: ${"e".repeat(200)}…`);
    expect((await ask("why?\nread a", { tools: { read: gives({ error: "no" }) } }))[1]).toBe("`read a` failed: no");
    expect((await ask("read a", { tools: { read: gives({ error: "" }) } }))[1]).toBe(
      "`read a` failed: no reason was given",
    );
  });
});

describe("quoted text", () => {
  test("is cut between characters", async () => {
    const [, said] = await ask("read a", { tools: { read: gives({ error: `x${"🌍".repeat(200)}` }) } });
    expect(said).toBe(`\`read a\` failed: x${"🌍".repeat(99)}\ufffd…`);
  });
  test("may contain its own quotation mark", async () => {
    expect((await ask("run echo `date`", { tools: { bash: gives("(no output)") } }))[1]).toBe(
      "`` echo `date` `` exited with code 0 and printed nothing.",
    );
  });
  test("does not make an answer endless", async () => {
    const [said = ""] = await ask(lines(2000, "read").join("\n"));
    expect(said.length).toBe(12_001);
    expect(said).toStartWith("I cannot do `read 1`: the tool `read` is not active.\n\nI cannot do `read 2`");
  });
});

test("the first answer of a session contains an introduction, also next to a call, and only once", async () => {
  const { words } = await play([user("list")], { tools: { ls: gives("a") } });
  expect(words[0]).toStartWith("I am pintle's offline model, a fixed set of rules");
  expect(words.slice(1)).toEqual(["off_1 ls {}", "This directory has 1 entry: a"]);
});

test("the next request starts over, and its call ids continue", async () => {
  const tools = { ls: gives("a"), read: gives("x") };
  const first = await play([user("hi"), greeting, user("list then read a")], { tools });
  const { words } = await play([...first.conversation, user("list")], { tools });
  expect(words).toEqual(["off_3 ls {}", "This directory has 1 entry: a"]);
});
