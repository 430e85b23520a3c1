import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, callsTools, chatPlace, says } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { AcpEditor } from "../support/acp-editor.ts";

const ASK = [...CHAT, "--permissions", "ask"];

test("asks about a change with its diff: once, for the session, rejected", async () => {
  const edit = (oldText: string, newText: string) =>
    callsTools({ name: "edit", args: { path: "a.txt", edits: [{ oldText, newText }] } });
  await using chat = await chatPlace(
    edit("one", "two"),
    edit("two", "three"),
    edit("three", "four"),
    says("done"),
    says("done"),
  );
  const path = join(chat.place.cwd, "a.txt");
  writeFileSync(path, "one\nrest\n");
  const answers = ["allow_once", "deny", "allow_session"];
  await using editor = await AcpEditor.start({ ...chat.place, args: ASK, permit: () => answers.shift() });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  const [first] = editor.permissions;
  expect(first?.toolCall).toMatchObject({ name: "edit", kind: "edit", locations: [{ path }] });
  expect(first?.toolCall.content?.[0]).toEqual({ type: "diff", path, oldText: "one\nrest", newText: "two\nrest" });
  expect(first?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["deny", "reject_once"],
    ["allow_once", "allow_once"],
    ["allow_session", "allow_always"],
    ["allow_always", "allow_always"],
  ]);
  expect(editor.permissions.length).toBe(3);
  expect(readFileSync(path, "utf8")).toBe("two\nrest\n"); // the second was rejected, and the third matches no rule
});

test("stores always-allow in the settings, and shows the whole command", async () => {
  const command = "echo one && touch made";
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: ASK, permit: () => "allow_always" });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(JSON.stringify(editor.permissions[0]?.toolCall.content)).toContain(command);
  expect(editor.permissions[0]?.toolCall).toMatchObject({ kind: "execute", rawInput: { command } });
  expect(existsSync(join(chat.place.cwd, "made"))).toBe(true);
  const settings = readFileSync(join(chat.place.env.PINTLE_HOME!, "settings.json"), "utf8");
  // `echo one` is read-only and needs no rule.
  const rule = { effect: "allow", command: "touch made", project: realpathSync(chat.place.cwd) };
  expect(JSON.parse(settings)).toMatchObject({ "permissions.rules": [rule] });
});

test("a run that is denied repeatedly ends with a message, as a normal turn", async () => {
  const call = callsTools({ name: "bash", args: { command: "rm -r x" } });
  await using chat = await chatPlace(call, call, call);
  const args = [...ASK, "--set", "permissions.maxDenials=2"];
  await using editor = await AcpEditor.start({ ...chat.place, args, permit: () => "deny" });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn");
  expect(editor.text()).toContain("permissions were denied");
});

test("asks about staged changes if it asks about changes", async () => {
  const stage = callsTools({ name: "ast_edit", args: { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts" } });
  for (const [answer, text] of [
    ["apply", "bar(1);\n"],
    ["discard", "foo(1);\n"],
  ] as const) {
    await using chat = await chatPlace(stage, says("done"));
    const path = join(chat.place.cwd, "a.ts");
    writeFileSync(path, "foo(1);\n");
    await using editor = await AcpEditor.start({ ...chat.place, args: ASK, permit: () => answer });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, "go");
    expect(editor.permissions[0]?.toolCall).toMatchObject({
      toolCallId: "call_1",
      content: [{ type: "diff", path, oldText: "foo(1);", newText: "bar(1);" }],
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

const TWO = "foo(1);\n\n\n\n\n\n\n\nfoo(2);\n";
const STAGE_TWO = callsTools({ name: "ast_edit", args: { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts" } });

test("applies one hunk of a staged change, and any of them with a form", async () => {
  for (const capabilities of [{}, { elicitation: { form: {} } }]) {
    await using chat = await chatPlace(STAGE_TWO, says("done"));
    const path = join(chat.place.cwd, "a.ts");
    writeFileSync(path, TWO);
    const isForm = "elicitation" in capabilities;
    await using editor = await AcpEditor.start({
      ...chat.place,
      args: ASK,
      capabilities,
      permit: ({ options }) =>
        options.find(({ name }) => name.endsWith(isForm ? "parts to apply" : "a.ts:9"))?.optionId,
      elicit: (request) => {
        const ids = JSON.stringify(request).match(/h_\w+/g) ?? [];
        return { action: "accept", content: { parts: ids.slice(1) } };
      },
    });
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, "go");
    expect(readFileSync(path, "utf8")).toBe(TWO.replace("foo(2)", "bar(2)"));
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("Applied: a.ts:9");
  }
});

test("asks again if a file has changed since the preview", async () => {
  await using chat = await chatPlace(STAGE_TWO, says("done"));
  const path = join(chat.place.cwd, "a.ts");
  writeFileSync(path, TWO);
  const answers = ["part_1", "part_1"];
  await using editor = await AcpEditor.start({
    ...chat.place,
    args: ASK,
    permit: () => {
      writeFileSync(path, answers.length === 2 ? `// changed\n${TWO}` : TWO);
      return answers.shift();
    },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(editor.permissions).toHaveLength(2);
  expect(editor.text()).toContain("changed since the preview");
  expect(readFileSync(path, "utf8")).toBe(TWO.replace("foo(2)", "bar(2)"));
});

const question = { id: "q", question: "Which one?", options: [{ label: "red" }, { label: "blue" }] };

test("shows the ask tool as a form if the client has forms", async () => {
  await using chat = await chatPlace(callsTools({ name: "ask", args: { questions: [question] } }), says("done"));
  await using editor = await AcpEditor.start({
    ...chat.place,
    args: CHAT,
    capabilities: { elicitation: { form: {} } },
    elicit: () => ({ action: "accept", content: { answer: "blue" } }),
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(editor.elicitations[0]).toMatchObject({
    mode: "form",
    sessionId,
    message: "Which one?",
    requestedSchema: { properties: { answer: { type: "string", oneOf: [{ const: "red" }, { const: "blue" }, {}] } } },
  });
  expect(JSON.stringify(editor.updatesOf("tool_call_update").at(-1))).toContain("blue");
});

test("without forms, shows options that can be declined, without the one that needs text", async () => {
  await using chat = await chatPlace(callsTools({ name: "ask", args: { questions: [question] } }), says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, permit: () => "0" });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(editor.permissions[0]).toMatchObject({ toolCall: { toolCallId: "call_1", title: "Which one?" } });
  expect(editor.permissions[0]?.options.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    "reject_once Decline to answer",
    "allow_once red",
    "allow_once blue",
  ]);
  expect(JSON.stringify(editor.updatesOf("tool_call_update").at(-1))).toContain("red");
});

test("declining a question without forms sends no answer", async () => {
  await using chat = await chatPlace(callsTools({ name: "ask", args: { questions: [question] } }), says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, permit: () => "decline" });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  const result = JSON.stringify(editor.updatesOf("tool_call_update").at(-1));
  expect(result).not.toContain("red");
  expect(result).not.toContain("blue");
});

test("--sandbox selects where the commands of all sessions run", async () => {
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "touch made" } }), says("done"));
  const args = [...CHAT, "--permissions", "full", "--sandbox", "read-only"];
  await using editor = await AcpEditor.start({ ...chat.place, args });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(existsSync(join(chat.place.cwd, "made"))).toBe(false);
});

test("shows an extension's dialogs as forms and its messages as notices", async () => {
  await using chat = await chatPlace(says("done"));
  const extensions = join(chat.place.env.PINTLE_HOME!, "extensions");
  mkdirSync(extensions, { recursive: true });
  writeFileSync(
    join(extensions, "greet.ts"),
    `export default (pi) => pi.registerCommand("greet", { description: "asks", async handler(_args, ctx) {
      const name = await ctx.ui.input("Name?", "somebody");
      const sure = await ctx.ui.confirm("Sure?", "Really");
      ctx.ui.notify("Hello " + name + " " + sure, "warning");
    } });`,
  );
  const answers = ["Ada", true];
  await using editor = await AcpEditor.start({
    ...chat.place,
    args: CHAT,
    capabilities: { elicitation: { form: {} }, session: { notices: {} } },
    elicit: () => ({ action: "accept", content: { answer: answers.shift()! } }),
  });
  const { sessionId } = await editor.open();
  await editor.until(
    () => JSON.stringify(editor.updatesOf("available_commands_update")).includes("greet"),
    "the command",
  );
  expect(await editor.prompt(sessionId, "/greet")).toBe("end_turn");
  expect(editor.elicitations.map(({ message }) => message)).toEqual(["Name?", "Sure?\nReally"]);
  await editor.until(() => editor.updatesOf("notice").length > 0, "the notice");
  expect(editor.updatesOf("notice")).toMatchObject([{ severity: "warning", title: "Hello Ada true" }]);
});

test("project code runs only if the user trusts it", async () => {
  await using chat = await chatPlace(says("done"));
  const cwd = join(chat.place.root, "project");
  const extensions = join(cwd, ".pintle/extensions");
  mkdirSync(extensions, { recursive: true });
  const marker = join(chat.place.cwd, "ran");
  writeFileSync(
    join(extensions, "x.ts"),
    `export default () => { require("node:fs").writeFileSync(${JSON.stringify(marker)}, ""); };`,
  );
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, permit: () => "trust" });
  const { sessionId } = await editor.open({ cwd });
  await editor.until(() => editor.permissions.length > 0, "the question");
  const order = editor.heard.map(({ method, result }) => method ?? (result as { sessionId?: string }).sessionId);
  expect(order.indexOf("session/request_permission")).toBeGreaterThan(order.indexOf(sessionId));
  expect(editor.permissions[0]?.toolCall.title).toContain("Trust");
  expect(editor.permissions[0]?.options.map(({ optionId }) => optionId)).toEqual(["refuse", "trust", "trust_always"]);
  await editor.until(
    () => editor.updatesOf("tool_call_update").some(({ status }) => status === "completed"),
    "the end of the question",
  );
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn");
  expect(existsSync(marker)).toBe(true);
});

test("reads unsaved files from the editor and others from the disk", async () => {
  const edits = [{ oldText: "unsaved", newText: "edited" }];
  await using chat = await chatPlace(
    callsTools({ name: "read", args: { path: "a.txt" } }, { name: "read", args: { path: "b.txt" }, id: "b" }),
    callsTools({ name: "edit", args: { path: "a.txt", edits } }),
    callsTools({ name: "write", args: { path: "new.txt", content: "n" } }),
    says("done"),
  );
  const at = (name: string) => join(chat.place.cwd, name);
  writeFileSync(at("a.txt"), "saved\n");
  writeFileSync(at("b.txt"), "on the disk\n");
  const files = new Map([[at("a.txt"), "unsaved\n"]]);
  await using editor = await AcpEditor.start({
    ...chat.place,
    args: CHAT,
    capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    files,
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect(files.get(at("a.txt"))).toBe("edited\n");
  expect(readFileSync(at("a.txt"), "utf8")).toBe("saved\n");
  expect(files.get(at("new.txt"))).toBe("n");
  const read = editor.updatesOf("tool_call_update").findLast(({ toolCallId }) => toolCallId === "b");
  expect(JSON.stringify(read?.content)).toContain("on the disk");
  expect(editor.check.seen.get("fs/write_text_file")).toBe(2);
});

test("does not request anything that the client did not advertise", async () => {
  await using chat = await chatPlace(
    callsTools(
      { name: "write", args: { path: "a.txt", content: "x" } },
      { name: "bash", args: { command: "echo ran" } },
    ),
    says("done"),
  );
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--permissions", "full"] });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect([...editor.check.seen.keys()].filter((method) => /^(fs|terminal|elicitation)\//.test(method))).toEqual([]);
  expect(editor.updatesOf("notice")).toEqual([]);
});

test("commands run in the client's terminal, which shows them", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "bash", args: { command: "echo out; exit 3", env: { COLOUR: "red" } } }),
    says("done"),
  );
  await using editor = await AcpEditor.start({
    ...chat.place,
    args: [...CHAT, "--permissions", "full"],
    capabilities: { terminal: true },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "go");
  expect([...editor.terminals.values()]).toMatchObject([
    {
      sessionId,
      command: "bash",
      args: ["-c", "echo out; exit 3"],
      cwd: chat.place.cwd,
      env: [{ name: "COLOUR", value: "red" }],
    },
  ]);
  const shown = editor.updatesOf("tool_call_update").map(({ content }) => content?.[0]);
  expect(shown).toContainEqual({ type: "terminal", terminalId: "term_1" });
  const end = editor.updatesOf("tool_call_update").at(-1);
  expect(end).toMatchObject({ status: "failed" });
  expect(JSON.stringify(end?.content)).toContain("Command exited with code 3");
  expect(editor.check.seen.get("terminal/release")).toBe(1);
});
