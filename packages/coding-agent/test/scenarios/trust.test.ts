import { describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { program, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, machine } from "../support/scenarios/stored-sessions.ts";
import { testWith } from "../support/system-tool.ts";

/** A tool that appends a line to the file LOADED when its module is loaded. */
const TOOL = `
  require("node:fs").appendFileSync(require("node:path").join(__dirname, "../../../LOADED"), "loaded\\n");
  module.exports = () => ({
    name: "stamp", label: "Stamp", description: "Stamps", parameters: { type: "object" },
    execute: async () => ({ content: [{ type: "text", text: "stamped" }] }),
  });`;

interface Place extends Machine {
  write(path: string, content: string): string;
  loads(): number;
  trustFile: string;
}

/** An environment with a project; paths are relative to the project. */
function project(files: Record<string, string> = { ".pintle/tools/stamp.cjs.js": TOOL }, base = machine()): Place {
  const cwd = join(realpathSync(base.root), "project");
  mkdirSync(cwd);
  const place: Place = {
    ...base,
    cwd,
    trustFile: join(base.root, ".pintle/trust.json"),
    write(path, content) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), content);
      return join(cwd, path);
    },
    loads: () => {
      const marker = join(base.root, "LOADED");
      return existsSync(marker) ? readFileSync(marker, "utf8").split("\n").length - 1 : 0;
    },
    [Symbol.dispose]: () => base[Symbol.dispose](),
  };
  for (const [path, content] of Object.entries(files)) place.write(path, content);
  return place;
}

const toolNames = async (rpc: RpcChild): Promise<string[]> =>
  (await rpc.call("get_state")).data.dumpTools.map((tool: Frame) => tool.name);
const isRequest = ({ type }: Frame) => type === "trust_request";
const isResolved = ({ type }: Frame) => type === "trust_resolved";

/** Declares that the host answers, and returns the question. */
async function question(rpc: RpcChild): Promise<Frame> {
  await rpc.call("set_host_capabilities", { trust: true });
  return rpc.until(isRequest);
}

/** Answers, and waits until the session has applied the answer. */
async function answer(rpc: RpcChild, id: string, trusted: boolean, remember = false): Promise<Frame> {
  rpc.send({ type: "trust_response", id, trusted, remember });
  return rpc.until(isResolved);
}

describe("ready.trust", () => {
  test("is none for a project without code, whatever the flags", async () => {
    for (const flags of [[], ["--trust"], ["--no-trust"]]) {
      using place = project({ "AGENTS.md": "text", ".pintle/settings.json": '{"steeringMode":"all"}' });
      await using rpc = await startRpc(flags, place);
      expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "none" });
    }
  });

  test("withheld: the session works without those parts, and a notice counts them", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "withheld" });
    const notice = await rpc.until(({ type, source }) => type === "notice" && source === "trust");
    expect(notice).toMatchObject({ level: "warning", message: expect.stringMatching(/^1 item .*--trust/) });
    expect(await toolNames(rpc)).not.toContain("stamp");
    await rpc.prompt("help");
    expect(place.loads()).toBe(0);
  });

  test.each(["--trust", "--approve"])("trusted with %s, for this process", async (flag) => {
    using place = project();
    {
      await using rpc = await startRpc([flag], place);
      expect(rpc.frames[0]).toMatchObject({ type: "ready", trust: "trusted" });
      expect(await toolNames(rpc)).toContain("stamp");
      await rpc.prompt("call stamp {}");
      expect(JSON.stringify(rpc.frames)).toContain("stamped");
      expect(rpc.frames.filter(({ source }) => source === "trust")).toEqual([]);
    }
    expect(existsSync(place.trustFile)).toBe(false);
    await using next = await startRpc([], place);
    expect([next.frames[0]?.trust, place.loads()]).toEqual(["withheld", 1]);
  });
});

describe("the question", () => {
  test("names the directory, the parts and their content; consent loads them, and the tool is offered at the next model call", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    const { id, project: asked, digest, timeout, items } = await question(rpc);
    expect({ asked, timeout, items }).toEqual({
      asked: place.cwd,
      timeout: 120_000,
      items: [
        {
          kind: "custom_tool",
          name: "stamp.cjs.js",
          path: join(place.cwd, ".pintle/tools/stamp.cjs.js"),
          digest: new Bun.CryptoHasher("sha256").update(TOOL).digest("hex"),
        },
      ],
    });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await rpc.call("get_pending")).data.pending).toMatchObject([{ kind: "trust", id, default: "not trusted" }]);
    expect(place.loads()).toBe(0);
    expect(await answer(rpc, id, true)).toMatchObject({ id, trusted: true, by: "host" });
    await rpc.prompt("call stamp {}");
    expect(JSON.stringify(rpc.frames)).toContain("stamped");
    expect([place.loads(), existsSync(place.trustFile)]).toEqual([1, false]);
  });

  test("prompts are acknowledged while it is open, and run after the decision", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    const { id } = await question(rpc);
    expect(await rpc.call("prompt", { message: "call stamp {}" })).toMatchObject({ success: true });
    expect(await rpc.call("get_state")).toMatchObject({ success: true });
    expect(rpc.frames.some(({ type }) => type === "agent_start")).toBe(false);
    rpc.send({ type: "trust_response", id, trusted: true });
    await rpc.until(({ type }) => type === "agent_settled");
    const order = rpc.frames.map(({ type }) => type);
    expect(order.indexOf("trust_resolved")).toBeLessThan(order.indexOf("agent_start"));
    expect(JSON.stringify(rpc.frames)).toContain("stamped");
  });

  test("the first of two answers wins, and an answer to another question is ignored", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    const { id } = await question(rpc);
    rpc.send(
      { type: "trust_response", id: "other", trusted: true },
      { type: "trust_response", id, trusted: false },
      { type: "trust_response", id, trusted: true, remember: true },
    );
    expect(await rpc.until(isResolved)).toMatchObject({ id, trusted: false, by: "host" });
    await rpc.prompt("help");
    expect([place.loads(), existsSync(place.trustFile)]).toEqual([0, false]);
    expect(rpc.frames.filter(isResolved)).toHaveLength(1);
  });

  test("treats silence as a denial, ignores late answers and does not ask again", async () => {
    using place = project();
    await using rpc = await startRpc(["--set", "trust.timeoutMs=1000"], place);
    const { id, timeout } = await question(rpc);
    expect(timeout).toBe(1000);
    expect(await rpc.until(isResolved)).toMatchObject({ id, trusted: false, by: "timeout" });
    rpc.send({ type: "trust_response", id, trusted: true, remember: true });
    await rpc.call("set_host_capabilities", { trust: true });
    await rpc.prompt("help");
    expect([rpc.frames.filter(isRequest).length, place.loads(), existsSync(place.trustFile)]).toEqual([1, 0, false]);
  });

  test("is not sent to a host that did not declare that it answers, or if a flag decides", async () => {
    using place = project();
    for (const [flags, trust] of [
      [[], false],
      [["--no-trust"], true],
      [["--trust"], true],
    ] as const) {
      await using rpc = await startRpc(flags, place);
      await rpc.call("set_host_capabilities", { trust });
      await rpc.prompt("help");
      expect(rpc.frames.filter(isRequest)).toEqual([]);
    }
  });

  test("treats a disconnected host as a denial", async () => {
    using place = project();
    await using rpc = await startRpc([], place);
    await question(rpc);
    expect(await rpc.end()).toBe(0);
    expect([place.loads(), existsSync(place.trustFile)]).toEqual([0, false]);
  });
});

describe("remembered consent", () => {
  test("applies to later starts, is stored privately, and ends when one byte changes", async () => {
    using place = project({ ".pintle/tools/stamp.cjs.js": TOOL, ".pintle/tools/node_modules/x/index.js": "1" });
    {
      await using rpc = await startRpc([], place);
      const { id, digest } = await question(rpc);
      await answer(rpc, id, true, true);
      await rpc.prompt("help");
      expect(JSON.parse(readFileSync(place.trustFile, "utf8"))).toEqual({
        [place.cwd]: { digest, at: expect.any(String), by: "host" },
      });
      expect(statSync(place.trustFile).mode & 0o777).toBe(0o600);
    }
    {
      await using rpc = await startRpc([], place);
      expect(rpc.frames[0]).toMatchObject({ trust: "trusted" });
      expect(await toolNames(rpc)).toContain("stamp");
      await rpc.call("set_host_capabilities", { trust: true });
      expect(await rpc.end()).toBe(0);
      expect(rpc.frames.filter(isRequest)).toEqual([]);
    }
    expect(place.loads()).toBe(2);
    appendFileSync(join(place.cwd, ".pintle/tools/node_modules/x/index.js"), "2");
    await using rpc = await startRpc([], place);
    expect(rpc.frames[0]).toMatchObject({ trust: "withheld" });
    expect(place.loads()).toBe(2);
    const { id } = await question(rpc);
    await answer(rpc, id, false, true);
    await rpc.prompt("help");
    expect(JSON.parse(readFileSync(place.trustFile, "utf8"))).toEqual({});
  });

  test("does not override --no-trust", async () => {
    using place = project();
    {
      await using rpc = await startRpc([], place);
      await answer(rpc, (await question(rpc)).id, true, true);
      await rpc.prompt("help");
    }
    await using rpc = await startRpc(["--no-trust"], place);
    expect([rpc.frames[0]?.trust, place.loads()]).toEqual(["withheld", 1]);
  });

  test("is lost when the agent itself changes the code", async () => {
    await using chat = await chatPlace(
      callsTools({ name: "write", args: { path: ".pintle/tools/stamp.cjs.js", content: `${TOOL}//` } }),
      says("done"),
    );
    using place = project(undefined, chat.place);
    {
      await using rpc = await startRpc(CHAT, place);
      await answer(rpc, (await question(rpc)).id, true, true);
      await rpc.prompt("write it");
    }
    await using rpc = await startRpc(CHAT, place);
    expect([rpc.frames[0]?.trust, place.loads()]).toEqual(["withheld", 1]);
  });
});

describe("settings of a project", () => {
  const FILES = { ".pintle/settings.json": '{"shellCommandPrefix":"echo prefix;","steeringMode":"all"}' };
  const outputOf = async (rpc: RpcChild) => (await rpc.call("bash", { command: "echo command" })).data.output;

  test("that can run something wait for consent, and others apply immediately", async () => {
    using place = project(FILES);
    await using rpc = await startRpc([], place);
    expect(rpc.frames[0]).toMatchObject({ trust: "withheld" });
    expect([await outputOf(rpc), (await rpc.call("get_state")).data.steeringMode]).toEqual(["command\n", "all"]);
    const { id, items } = await question(rpc);
    expect(items).toMatchObject([{ kind: "setting", name: "shellCommandPrefix" }]);
    await answer(rpc, id, true);
    await rpc.prompt("help");
    expect(await outputOf(rpc)).toBe("prefix\ncommand\n");
  });

  test("apply from the start with --trust", async () => {
    using place = project(FILES);
    await using rpc = await startRpc(["--trust"], place);
    expect(await outputOf(rpc)).toBe("prefix\ncommand\n");
  });
});

describe("without a host", () => {
  test("stderr reports what was withheld, and the prompt is still answered; --trust loads it", async () => {
    using place = project();
    const closed = await runProgram(["-p", "help"], place);
    expect([closed.code, place.loads()]).toEqual([0, 0]);
    expect(closed.stderr).toMatch(/^pintle: 1 item of this project was withheld .*--trust/m);
    const open = await runProgram(["--trust", "-p", "call stamp {}"], place);
    expect([open.code, /withheld/.test(open.stderr), place.loads()]).toEqual([0, false, 1]);
  });
});

describe("at a terminal", () => {
  const TERMINAL = join(import.meta.dir, "../support/scenarios/at-terminal.py");

  const ask = (place: Place, answer: string, setting: "ask" | "closed" = "ask") => {
    const command = ["python3", TERMINAL, answer, program];
    return runProgram(["--set", `trust.default=${setting}`, "-p", "call stamp {}"], { ...place, command });
  };

  testWith("python3")("a user who wants to be asked is asked, and only an explicit yes grants trust", async () => {
    using place = project();
    const refused = await ask(place, "n");
    expect(refused.stdout).toContain("custom_tool  stamp.cjs.js");
    expect([refused.code, place.loads()]).toEqual([0, 0]);
    const agreed = await ask(place, "y");
    expect([agreed.code, agreed.stdout.includes("stamped"), place.loads()]).toEqual([0, true, 1]);
    expect(existsSync(place.trustFile)).toBe(false);
    expect((await ask(place, "always")).stdout).toContain("stamped");
    const known = await ask(place, "n");
    expect([known.stdout.includes("Load them?"), known.stdout.includes("stamped")]).toEqual([false, true]);
  });

  testWith("python3")("a user who does not want to be asked is not asked", async () => {
    using place = project();
    const { stdout } = await ask(place, "y", "closed");
    expect([stdout.includes("Load them?"), place.loads()]).toEqual([false, 0]);
  });
});
