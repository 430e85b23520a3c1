import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { program } from "../../coding-agent/test/support/program.ts";
import { type Machine, machine } from "../../coding-agent/test/support/scenarios/stored-sessions.ts";
import { RpcClient, type RpcClientOptions, type UiAnswer } from "../src/index.ts";

// Tests questions of the built program that a client's handlers answer.

const open: AsyncDisposable[] = [];
const places: Machine[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client[Symbol.asyncDispose]();
  for (const place of places.splice(0)) place[Symbol.dispose]();
});

/** Paths are relative to the project. */
function project(files: Record<string, string>): Machine {
  const place = machine();
  places.push(place);
  const cwd = join(realpathSync(place.root), "project");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return { ...place, cwd };
}

function clientIn({ cwd, env }: Machine, options: RpcClientOptions = {}): RpcClient {
  const client = new RpcClient({ command: [program], model: "pintle/offline", cwd, env, ...options });
  open.push(client);
  return client;
}

describe("dialogs of an extension", () => {
  const ASKS = `export default (pi) => {
    const asks = {
      select: (ui) => ui.select("Which?", ["red", "blue"]),
      confirm: (ui) => ui.confirm("Sure?", "Really sure?"),
      input: (ui) => ui.input("Name?", "as in the book"),
      editor: (ui) => ui.editor("Edit", "old text"),
    };
    for (const [name, ask] of Object.entries(asks)) {
      pi.registerCommand(name, {
        handler: async (args, { ui }) => ui.notify(name + " " + JSON.stringify((await ask(ui)) ?? null)),
      });
    }
    pi.registerCommand("hurry", {
      handler: async (args, { ui }) => ui.notify("hurry " + JSON.stringify((await ui.input("Quick", "", { timeout: 50 })) ?? null)),
    });
  };`;
  const withDialogs = (place = project({ "asks.ts": ASKS })) =>
    clientIn(place, { args: ["--no-session", "-e", join(place.cwd, "asks.ts")] });

  /** Returns what the extension received for each dialog. */
  async function outcomes(client: RpcClient, answers: Record<string, UiAnswer>): Promise<string[]> {
    const said: string[] = [];
    client.onUiRequest((request) => {
      if (request.method === "notify") said.push(request.message);
      return answers[request.method];
    });
    await client.start();
    for (const method of ["select", "confirm", "input", "editor"]) {
      expect(await client.promptAndWait(`/${method}`)).toMatchObject({ agentInvoked: false, text: "" });
    }
    return said;
  }

  test("receive what the handler returns", async () => {
    const answers = { select: "blue", confirm: true, input: { value: "Ada" }, editor: "new text" };
    expect(await outcomes(withDialogs(), answers)).toEqual([
      'select "blue"',
      "confirm true",
      'input "Ada"',
      'editor "new text"',
    ]);
  });

  test("are cancelled by a handler that returns nothing", async () => {
    expect(await outcomes(withDialogs(), {})).toEqual(["select null", "confirm false", "input null", "editor null"]);
  });

  test("are withdrawn when their time is over, and the handler's signal is aborted", async () => {
    const client = withDialogs();
    const takenBack = Promise.withResolvers<unknown>();
    const said = Promise.withResolvers<string>();
    client.onUiRequest((request, { signal }) => {
      if (request.method === "notify") said.resolve(request.message);
      if (request.method !== "input") return undefined;
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          takenBack.resolve(signal.reason);
          resolve("too late");
        });
      });
    });
    await client.start();
    await client.promptAndWait("/hurry");
    expect(await takenBack.promise).toBeInstanceOf(Error);
    expect(await said.promise).toBe("hurry null");
  });

  test("a handler that is installed later is declared to the server", async () => {
    const client = withDialogs();
    await client.start();
    const said = Promise.withResolvers<string>();
    client.onUiRequest((request) => {
      if (request.method === "notify") said.resolve(request.message);
      return request.method === "confirm";
    });
    await client.promptAndWait("/confirm");
    expect(await said.promise).toBe("confirm true");
  });
});

describe("project code", () => {
  const TOOL = `module.exports = () => ({
    name: "stamp", label: "Stamp", description: "Stamps", parameters: { type: "object" },
    execute: async () => ({ content: [{ type: "text", text: "stamped" }] }),
  });`;

  test.each([
    [true, false],
    [{ trusted: true, remember: true }, true],
  ])("is loaded after a yes (%p)", async (answer, isRemembered) => {
    const place = project({ ".pintle/tools/stamp.cjs.js": TOOL });
    const client = clientIn(place);
    const asked: string[] = [];
    client.onTrustRequest(({ project: path, items }) => {
      asked.push(path, ...items.map(({ kind, name }) => `${kind} ${name}`));
      return answer;
    });
    const resolved = new Promise((resolve) => client.on("trust_resolved", resolve));
    expect(await client.start()).toMatchObject({ trust: "withheld" });
    expect(await resolved).toMatchObject({ trusted: true });
    expect(asked).toEqual([place.cwd, expect.stringContaining("custom_tool stamp")]);
    expect((await client.promptAndWait("call stamp {}")).text).toContain("stamped");
    expect(existsSync(join(place.root, ".pintle/trust.json"))).toBe(isRemembered);
  });

  test("is not loaded after a no, and the question is not repeated", async () => {
    const client = clientIn(project({ ".pintle/tools/stamp.cjs.js": TOOL }));
    let asked = 0;
    client.onTrustRequest(() => {
      asked += 1;
      return false;
    });
    const resolved = new Promise((resolve) => client.on("trust_resolved", resolve));
    await client.start();
    expect(await resolved).toMatchObject({ trusted: false });
    const { dumpTools = [] } = await client.getState();
    expect(dumpTools.map(({ name }) => name)).not.toContain("stamp");
    expect(asked).toBe(1);
  });
});

describe("previews", () => {
  const SOURCE = "export function greet() {}\n";
  const greeter = () => project({ "greet.ts": SOURCE });

  test.each([
    ["apply", "welcome"],
    ["discard", "greet"],
  ] as const)("%s by the host", async (action, name) => {
    const place = greeter();
    const client = clientIn(place);
    const shown: unknown[] = [];
    client.onPreview(({ details }) => {
      shown.push((details as { diff: string }).diff);
      return action;
    });
    await client.start();
    const resolved: string[] = [];
    client.on("pending_action_resolved", ({ by, action: done }) => resolved.push(`${done} by ${by}`));
    await client.promptAndWait("rename greet to welcome");
    expect(resolved).toEqual([`${action} by host`]);
    expect(shown).toEqual([expect.stringContaining("+export function welcome")]);
    expect(readFileSync(join(place.cwd, "greet.ts"), "utf8")).toBe(`export function ${name}() {}\n`);
  });

  test("a handler that throws changes nothing and reports the error", async () => {
    const place = greeter();
    const client = clientIn(place);
    const faults: string[] = [];
    client.onProtocolError(({ message }) => faults.push(message));
    client.onPreview(() => Promise.reject(new Error("no screen")));
    await client.start();
    await client.promptAndWait("rename greet to welcome");
    expect(faults).toEqual(["The handler of onPreview has thrown: no screen"]);
    expect(readFileSync(join(place.cwd, "greet.ts"), "utf8")).toBe(SOURCE);
  });

  test("aborting the run withdraws the question", async () => {
    const place = greeter();
    const client = clientIn(place);
    const asked = Promise.withResolvers<AbortSignal>();
    client.onPreview((_preview, { signal }) => {
      asked.resolve(signal);
      return new Promise<"apply">((resolve) => signal.addEventListener("abort", () => resolve("apply")));
    });
    await client.start();
    const run = client.run("rename greet to welcome");
    const signal = await asked.promise;
    await client.abort();
    expect(signal.aborted).toBe(true);
    expect((await run.result).stopReason).toBe("aborted");
    expect(readFileSync(join(place.cwd, "greet.ts"), "utf8")).toBe(SOURCE);
  });
});
