import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { repository, runProgram } from "../support/program.ts";
import { CHAT, type ChatPlace, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine } from "../support/scenarios/stored-sessions.ts";

/** Simulates another machine: its own home without a model, another directory, the same file in it. */
function elsewhere(): Machine {
  const place = machine();
  const cwd = join(place.root, "another", "checkout");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "notes.txt"), "three\nshort\nlines\n");
  return { ...place, cwd };
}

async function recorded(...answers: Parameters<typeof chatPlace>): Promise<ChatPlace & { recordings: string }> {
  const chat = await chatPlace(...answers);
  writeFileSync(join(chat.place.cwd, "notes.txt"), "three\nshort\nlines\n");
  return { ...chat, recordings: join(chat.place.root, "recordings") };
}

const run = (place: Machine, ...args: string[]) => runProgram(["--quiet", ...args], place);

describe("recordings and the program", () => {
  test("print mode replays elsewhere without server, key and model configuration", async () => {
    await using chat = await recorded(callsTools({ name: "read", args: { path: "notes.txt" } }), says("Three lines."));
    const live = await run(chat.place, ...CHAT, "--record", chat.recordings, "-p", "How many lines has notes.txt?");
    expect(live).toEqual({ code: 0, stdout: "Three lines.\n", stderr: "" });
    using other = elsewhere();
    const again = await run(other, "--replay", chat.recordings, "-p", "How many lines has notes.txt?");
    expect(again).toEqual(live);
    expect(chat.server.requests).toHaveLength(2);
  });

  test("the offline model cannot be recorded, and reports it", async () => {
    using place = machine();
    const { code, stderr } = await run(
      place,
      "--model",
      "pintle/offline",
      "--record",
      join(place.root, "r"),
      "-p",
      "list",
    );
    expect(code).toBe(2);
    expect(stderr).toContain("--record stores exchanges with a provider, and the offline model uses none");
  });

  test("a miss makes print mode exit with code 1 and names the first difference", async () => {
    await using chat = await recorded(says("Hello."));
    await run(chat.place, ...CHAT, "--record", chat.recordings, "-p", "Say hello");
    using other = elsewhere();
    const { code, stdout, stderr } = await run(other, "--replay", chat.recordings, "-p", "Say goodbye");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^pintle: local\/m: No recording for this request \(key [0-9a-f]{12}\)\n/);
    expect(stderr).toContain('message 2 (user), content: recorded "Say hello", now "Say goodbye"');
    expect(readdirSync(join(chat.recordings, "misses"))).toHaveLength(3);
  });

  test("a provider failure is replayed as a failure", async () => {
    await using chat = await recorded(sendStatus(401, '{"error":{"message":"no such key"}}'));
    const live = await run(chat.place, ...CHAT, "--record", chat.recordings, "-p", "hi");
    expect(live).toEqual({ code: 1, stdout: "", stderr: "pintle: local/m: HTTP 401: no such key\n" });
    using other = elsewhere();
    expect(await run(other, "--replay", chat.recordings, "-p", "hi")).toEqual(live);
  });

  test("json and rpc mode emit the same events", async () => {
    await using chat = await recorded(callsTools({ name: "ls", args: {} }), says("Two files."));
    const live = await run(chat.place, ...CHAT, "--record", chat.recordings, "--mode", "json", "What is here?");
    const again = await run(chat.place, "--replay", chat.recordings, "--mode", "json", "What is here?");
    const types = (text: string) =>
      text
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Frame).type);
    expect(types(live.stdout).slice(1)).not.toEqual([]);
    expect(types(again.stdout)).toEqual(types(live.stdout));

    await using rpc = await startRpc(["--replay", chat.recordings], chat.place);
    expect((await rpc.call("get_available_models")).data.models[0]).toMatchObject({ provider: "local", id: "m" });
    await rpc.prompt("What is here?");
    expect((await rpc.call("get_last_assistant_text")).data.text).toBe("Two files.");
    expect(chat.server.requests).toHaveLength(2);
  });

  test("the end of the process does not lose the answer it was waiting for", async () => {
    await using chat = await recorded(async (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = { choices: [{ index: 0, delta: { content: "All said." }, finish_reason: "stop" }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`); // and the body stays open
    });
    const live = await run(chat.place, ...CHAT, "--record", chat.recordings, "-p", "hi");
    expect(live.stdout).toBe("All said.\n");
    using other = elsewhere();
    expect(await run(other, "--replay", chat.recordings, "-p", "hi")).toEqual(live);
  });

  test.each([
    [["--replay", "nowhere"], 2, "There are no recordings in "],
    [["--replay", "nowhere", "--replay-speed", "fast"], 2, "The replay speed must be a number above 0"],
  ])("%p is distinguished from a miss", async (args, code, text) => {
    using place = machine();
    if (args.length > 2) {
      mkdirSync(join(place.cwd, "nowhere"));
      writeFileSync(join(place.cwd, "nowhere", "0001-000000000000.request.json"), "{}");
    }
    const result = await run(place, ...args, "-p", "hi");
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(text);
  });
});

describe("the example", () => {
  const script = join(repository, "examples", "recorded-ci", "run.mjs");

  test("its checked-in recordings answer, and its own checks pass", async () => {
    using place = machine();
    const { code, stdout, stderr } = await runProgram([script], { ...place, command: ["node"] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("The host works: 2 answers, 1 tool call, no key, no network.");
  });

  test("its recordings contain no secret and nothing of the machine that made them", () => {
    const directory = join(repository, "examples", "recorded-ci", "recordings");
    const text = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), "utf8"))
      .join("\n");
    expect(text).toContain('"end":"done"');
    expect(text).not.toMatch(/\/(home|root|tmp|work|Users)\/|api[_-]?key|bearer/i);
  });
});
