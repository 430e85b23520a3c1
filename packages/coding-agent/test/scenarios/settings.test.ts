import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sendStatus, startLoopbackServer } from "../../../ai/test/support/loopback-server.ts";
import { runProgram } from "../support/program.ts";
import { CHAT, chatPlace } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";

function write(place: Machine, name: string, content: unknown): string {
  const path = join(place.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** A separate home and project, so that there are two files. */
function twoPlaces(): Machine {
  const place = machine();
  place.cwd = join(place.root, "project");
  mkdirSync(place.cwd);
  return place;
}

/** The effect of the settings on a session, and what was reported about them. */
async function modesOf(place: Machine, args: readonly string[] = []) {
  await using rpc = await startRpc(args, place);
  const { steeringMode, followUpMode, interruptMode, thinkingLevel } = (await rpc.call("get_state")).data;
  await rpc.end();
  const complaints = (await rpc.stderr()).split("\n").filter(Boolean);
  return { modes: [steeringMode, followUpMode, interruptMode, thinkingLevel], complaints };
}

const DEFAULTS = ["one-at-a-time", "one-at-a-time", "wait", "off"];

describe("settings reach a session", () => {
  test("use the defaults without a file", async () => {
    using place = twoPlaces();
    expect(await modesOf(place)).toEqual({ modes: DEFAULTS, complaints: [] });
  });

  test("the project's file overrides the user's, --set overrides both", async () => {
    using place = twoPlaces();
    write(place, ".pintle/settings.json", { steeringMode: "all", followUpMode: "all", interruptMode: "immediate" });
    write(place, "project/.pintle/settings.json", { followUpMode: "one-at-a-time", interruptMode: "immediate" });
    expect(await modesOf(place, ["--set", "interruptMode=wait"])).toEqual({
      modes: ["all", "one-at-a-time", "wait", "off"],
      complaints: [],
    });
  });

  test("the user's file may be YAML", async () => {
    using place = twoPlaces();
    write(place, ".pintle/settings.yml", "steeringMode: all\ninterruptMode: immediate\n");
    expect(await modesOf(place)).toEqual({ modes: ["all", "one-at-a-time", "immediate", "off"], complaints: [] });
  });

  test("a project cannot make failing calls retry more often or faster than the user allows", async () => {
    await using chat = await chatPlace(sendStatus(500, "{}"), sendStatus(500, "{}"));
    write(chat.place, "project/.pintle/settings.json", { retry: { maxRetries: 1_000_000, baseDelayMs: 0 } });
    await using rpc = await startRpc(CHAT, { ...chat.place, cwd: join(chat.place.root, "project") });
    await rpc.call("prompt", { message: "x" });
    const retry = await rpc.until(({ type }) => type === "auto_retry_start");
    expect(retry).toMatchObject({ attempt: 1, maxAttempts: 3, delayMs: 2000 });
    await rpc.call("abort");
  });

  test.each([
    [{}, 24_576],
    [{ "thinkingBudgets.high": 5_000 }, 5_000],
  ])("the thinking budget is the model's own unless one is set: %j", async (settings, expected) => {
    await using server = await startLoopbackServer(sendStatus(400, "{}"));
    using place = twoPlaces();
    const models = [{ id: "gemini-2.5-flash", reasoning: true, maxTokens: 65_536 }];
    write(place, ".pintle/models.json", { providers: { google: { baseUrl: server.url, apiKey: "k", models } } });
    write(place, ".pintle/settings.json", settings);
    await runProgram(["-p", "hello", "--model", "google/gemini-2.5-flash:high"], place);
    const [request] = server.requests;
    expect(request?.body.generationConfig.thinkingConfig).toEqual({ includeThoughts: true, thinkingBudget: expected });
  });

  test("a project cannot choose where sessions are stored", async () => {
    using place = twoPlaces();
    write(place, "project/.pintle/settings.json", { sessionDir: join(place.root, "stolen"), steeringMode: "all" });
    await runProgram(["-p", "hello"], place);
    expect(sessionFiles(join(place.root, "stolen"))).toEqual([]);
    expect(sessionFiles(place.sessionDir)).toHaveLength(1);
    expect((await modesOf(place)).modes).toEqual(["all", ...DEFAULTS.slice(1)]);
  });
});

describe.each([
  ["not JSON", "{ not json"],
  ["not an object", "[1]"],
])("a settings file that is %s", (_what, content) => {
  test("is reported and skipped if it is the project's, and the defaults apply", async () => {
    using place = twoPlaces();
    const project = write(place, "project/.pintle/settings.json", content);
    const { modes, complaints } = await modesOf(place);
    expect(modes).toEqual(DEFAULTS);
    expect(complaints).toEqual([expect.stringContaining(`pintle: ${project}: `)]);
    expect(readFileSync(project, "utf8")).toBe(content);
  });

  test("is an error and stays unchanged if it is the user's", async () => {
    using place = twoPlaces();
    const user = write(place, ".pintle/settings.json", content);
    const { code, stdout, stderr } = await runProgram(["-p", "hello"], place);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toStartWith(`pintle: ${user}: `);
    expect(readFileSync(user, "utf8")).toBe(content);
  });
});

test("an invalid value is reported by file and key, and the lower layer applies", async () => {
  using place = twoPlaces();
  const file = write(place, ".pintle/settings.json", { steeringMode: "banana", followUpMode: "all" });
  const { modes, complaints } = await modesOf(place);
  expect(modes).toEqual(["one-at-a-time", "all", "wait", "off"]);
  expect(complaints).toHaveLength(1);
  expect(complaints[0]).toContain(file);
  expect(complaints[0]).toContain("steeringMode");
});

test.each([["noequals"], ["steeringMode=banana"], ["agent.maxTurns=many"]])(
  "--set %s is a usage error that names the key, with the same code in RPC mode",
  async (flag) => {
    using place = twoPlaces();
    const text = await runProgram(["--set", flag, "-p", "hello"], place);
    const rpc = await runProgram(["--set", flag, "--mode", "rpc"], place);
    expect([text.code, rpc.code, text.stdout, rpc.stdout]).toEqual([2, 2, "", ""]);
    expect(text.stderr).toContain(flag.split("=")[0] as string);
    expect(sessionFiles(place.sessionDir)).toEqual([]);
  },
);

test("settings that a host changes over RPC last for the session and are not stored", async () => {
  using place = twoPlaces();
  const file = write(place, ".pintle/settings.json", { steeringMode: "all" });
  const before = readFileSync(file, "utf8");
  await using rpc = await startRpc([], place);
  await rpc.call("set_steering_mode", { mode: "one-at-a-time" });
  await rpc.call("set_follow_up_mode", { mode: "all" });
  await rpc.call("set_interrupt_mode", { mode: "immediate" });
  await rpc.call("new_session");
  const { data } = await rpc.call("get_state");
  expect([data.steeringMode, data.followUpMode, data.interruptMode]).toEqual(["one-at-a-time", "all", "immediate"]);
  expect(await rpc.end()).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  expect((await modesOf(place)).modes).toEqual(["all", ...DEFAULTS.slice(1)]);
});

describe("a mistake in a setting that restricts tools ends the start", () => {
  const run = (place: Machine, ...args: string[]) =>
    runProgram(["-p", "--model", "offline", ...args, "hello"], { cwd: place.cwd, env: place.env });

  test.each([
    [{ "permisions.mode": "plan" }, "unknown setting permisions.mode (did you mean permissions.mode?)"],
    [
      { "permissions.mode": "plan", permissions: { mode: "full" } },
      "permissions.mode must be written once, dotted or nested",
    ],
    [
      { "sandbox.network": ["https://registry.example/"] },
      "sandbox.network must be on, off or a list of hosts such as example.com, *.example.com, example.com:8443 or 10.0.0.5:8080",
    ],
    [{ sandbox: { netwrk: "off" } }, "unknown setting sandbox.netwrk (did you mean sandbox.network?)"],
    [{ "permissions.maxDenials": "three" }, "permissions.maxDenials must be an integer from 0 to 1000"],
    [{ "sandbox.write": "~/.cache" }, "sandbox.write must be a list of strings, added to that of weaker layers"],
  ])("%j in the user's file", async (content, problem) => {
    using place = twoPlaces();
    const file = write(place, ".pintle/settings.json", content);
    const { code, stdout, stderr } = await run(place);
    expect([code, stdout, stderr]).toEqual([2, "", `pintle: ${file}: ${problem}\n`]);
  });

  test("in --set and --policy", async () => {
    using place = twoPlaces();
    const set = await run(place, "--set", "permisions.mode=plan");
    expect(set.code).toBe(2);
    expect(set.stderr).toContain("--set: unknown setting permisions.mode (did you mean permissions.mode?)");
    const policies: [unknown, string][] = [
      [{ rules: [{ effect: "deny", comand: "rm" }] }, "rule 1 has the unknown field comand; did you mean command?"],
      [{ rules: [], mode: "plan" }, "unknown key mode; its only key is rules"],
      [{ rule: [] }, "unknown key rule; its only key is rules"],
    ];
    for (const [content, problem] of policies) {
      const file = write(place, "project/policy.json", content);
      const { code, stderr } = await run(place, "--policy", file);
      expect([code, stderr.split("\n")[0]]).toEqual([2, `pintle: --policy ${file}: ${problem}`]);
    }
  });

  test("is reported in a project's file and loosens nothing", async () => {
    using place = twoPlaces();
    write(place, ".pintle/settings.json", { "permissions.mode": "ask" });
    const file = write(place, "project/.pintle/settings.json", {
      permissions: { mod: "full", mode: "full", projectRules: "allow" },
      sandbox: { mode: "off" },
    });
    await using rpc = await startRpc(["--user-settings"], place);
    expect((await rpc.call("get_state")).data).toMatchObject({ permissionMode: "ask" });
    await rpc.end();
    const complaints = await rpc.stderr();
    for (const problem of [
      "permissions.mode cannot be set by a project",
      "sandbox.mode cannot be set by a project",
      "permissions.projectRules must be a list of rules",
      "unknown settings are ignored: permissions.mod (did you mean permissions.mode?)",
    ])
      expect(complaints).toContain(`${file}: ${problem}`);
  });
});

test("--add-dir adds to permissions.roots of the user and of --set", async () => {
  using place = twoPlaces();
  write(place, ".pintle/settings.json", { "permissions.roots": ["/srv/user"] });
  const roots = async (...args: string[]) => {
    await using rpc = await startRpc(["--user-settings", ...args], place);
    const { settings } = (await rpc.call("get_settings")).data as { settings: { key: string; value: unknown }[] };
    return settings.find(({ key }) => key === "permissions.roots")?.value;
  };
  expect(await roots("--add-dir", "/srv/a", "--add-dir", "/srv/b")).toEqual(["/srv/user", "/srv/a", "/srv/b"]);
  expect(await roots("--add-dir", "/srv/a", "--set", 'permissions.roots=["/srv/set"]')).toEqual(["/srv/set", "/srv/a"]);
});
