import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rawExchange } from "../support/scenarios/raw-exchange.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

const ASK = '{"id":"q","type":"get_state"}\n';

describe("a failed start reports the reason on stderr, writes no frame, and exits with 2 for wrong usage and 1 for other failures", () => {
  test.each([
    [["--provider", "nobody"], 2, /^pintle: Unknown provider "nobody"/],
    [["--model", "no-such-model"], 2, /^pintle: No model matches "no-such-model"/],
    [["@file"], 2, /^Error: @file arguments are not supported in RPC mode\n$/],
    [["words", "@file", "more"], 2, /^Error: @file arguments are not supported in RPC mode\n$/],
    [["--dialect", "klingon"], 2, /^pintle: Unknown dialect "klingon"/],
    [["--session", "no-such-session"], 2, /^pintle: Session not found: no-such-session\n$/],
    [["--resume", "/no/such.jsonl"], 1, /^pintle: Session file not found: \/no\/such\.jsonl\n$/],
    [
      ["--session", "broken.jsonl"],
      1,
      /^pintle: Cannot open session ".*broken\.jsonl": header is missing or malformed\n$/,
    ],
    [["--mode", "nonsense"], 2, /^pintle: --mode must be one of /],
    [["--set", "no.such=1"], 2, /^pintle: --set: unknown setting no\.such\n/],
    [
      ["--set", "host.toolTimeoutMs=0"],
      2,
      /^pintle: --set: host\.toolTimeoutMs must be an integer from 1000 to 86400000\n/,
    ],
    [["--set", "models.offline=false"], 2, /^pintle: No models available\.\n$/],
    [["--cwd", "/no/such/directory"], 1, /^pintle: Cannot change to \/no\/such\/directory: no such file/],
    [["-e", "nowhere.ts"], 2, /^pintle: --extension nowhere\.ts: no such file or directory\n$/],
    [["--custom-tool", "nowhere.ts"], 2, /^pintle: --custom-tool nowhere\.ts: no such file or directory\n$/],
    [["--skill", "nowhere"], 2, /^pintle: --skill nowhere: no such file or directory\n$/],
    [["-Z"], 2, /^pintle: unknown option -Z\n/],
    [["--no-sesion"], 2, /^pintle: unknown option --no-sesion \(did you mean --no-session\?\)\nTry: pintle --help\n$/],
    [["--approval-mode", "ask"], 2, /^pintle: --approval-mode must be always-ask, write or yolo, not ask$/m],
    [["--approval-mode", "yolo", "--permissions", "ask"], 2, /name different presets/],
    [["--tools", "read,+bash"], 2, /mixes "read" with "\+bash"/],
    [["--tools", "-wr*"], 2, /the exact name of a tool/],
    [["--max-time=soon"], 2, /^pintle: --max-time: time must be a time, as 600, 90s, 10m or 1h\n/],
    [["--budget", "coins=2"], 2, /^pintle: --budget: unknown limit "coins"; there are cost, tokens, /],
    [["--permissions", "yolo"], 2, /^pintle: --permissions must be plan, ask, workspace or full, not yolo\n/],
    [["--sandbox", "yolo"], 2, /^pintle: --sandbox must be auto, off, workspace-write or read-only, not yolo\n/],
    [["--policy", "/nonexistent/x"], 2, /^pintle: --policy \/nonexistent\/x: /],
    [["--model"], 2, /^pintle: --model needs a value/],
    [["--resume"], 2, /^pintle: --resume needs the id, name or path of a session\n/],
  ])("%j", async (args, code, stderr) => {
    using place = machine();
    writeFileSync(join(place.cwd, "broken.jsonl"), "no header\n");
    const result = await rawExchange(args, place, ASK);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: "" });
    expect(result.stderr).toMatch(stderr);
    expect(result.stderr).not.toContain("    at "); // no stack trace
  });

  test("PINTLE_DIALECT with an unknown dialect", async () => {
    using place = machine({ PINTLE_DIALECT: "klingon" });
    const { code, stdout, stderr } = await rawExchange([], place, ASK);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: 'pintle: Unknown dialect "klingon": it must be seed, pi or omp\n',
    });
  });
});

describe("a successful start", () => {
  const OFFLINE = ["--model", "pintle/offline"];

  test.each([
    [["some", "words"], "pintle: a message on the command line is ignored in RPC mode\n"],
    [["--thinking", "ultra"], 'pintle: unknown thinking level "ultra" is ignored\n'],
    [["--thinking", "max"], ""],
    [["--thinking", "auto"], ""],
    [["--no-title", "--no-extensions", "--no-lsp", "--profile", "work", "--auto-approve", "--service-tier=flex"], ""],
    [["--verbose", "--profile", "work"], "pintle: --profile has no effect here\n"],
  ])("%j warns only on stderr", async (args, stderr) => {
    using place = machine();
    const result = await rawExchange([...OFFLINE, ...args], place, ASK);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr });
    expect(result.frames.map(({ type }) => type)).toEqual(["ready", "response"]);
  });

  test("sends ready once, first, with the fields that clients read", async () => {
    using place = machine();
    const { frames } = await rawExchange(OFFLINE, place, ASK);
    expect(frames[0]).toEqual({
      type: "ready",
      version: expect.any(String),
      protocolVersion: 1,
      supportedProtocolVersions: [1],
      sessionId: frames[1]?.data.sessionId,
      sessionFile: frames[1]?.data.sessionFile,
      trust: "none",
      sandbox: { mode: "off", strength: "unknown" },
      capabilities: expect.arrayContaining(["update_mode", "paging", "entries", "pending", "resolve"]),
    });
    expect(frames.slice(1).map(({ id }) => id)).toEqual(["q"]);
  });

  test("sends a notice without a model", async () => {
    using place = machine();
    const { frames } = await rawExchange([], place, ASK);
    expect(frames.filter(({ type }) => type === "notice")).toMatchObject([{ level: "warning", source: "model" }]);
  });
});
