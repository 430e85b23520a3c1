import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { textOf } from "../../../agent/test/support/tools.ts";
import { eventually, groupExists } from "../../../exec/test/support/processes/living-processes.ts";
import { mcpFile, serversOf, stdio, variable } from "../support/mcp/servers-of.ts";
import { projectFolder } from "../support/trust/project-folder.ts";

/** A connected user server named "one". */
async function oneServer(...flags: string[]) {
  const folder = projectFolder();
  folder.write(
    "~/mcp.json",
    mcpFile({ one: { ...stdio("--log", folder.at("log"), ...flags), env: { GIVEN: "given" } } }),
  );
  const started = await serversOf(folder);
  await started.servers.connected(30_000);
  return {
    ...started,
    servers: started.servers,
    get tools() {
      return started.tools;
    },
    folder,
    log: () => readFileSync(folder.at("log"), "utf8"),
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const failure = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error("it did not fail"),
    (error) => error,
  );

describe("a server in a child process", () => {
  test("offers its tools and runs them", async () => {
    await using one = await oneServer();
    expect(one.names()).toContain("mcp__one__echo");
    const echo = one.tools.find(({ name }) => name === "mcp__one__echo");
    expect(echo).toMatchObject({ label: "Echo", description: "Repeats a text" });
    expect(echo?.parameters).toMatchObject({ type: "object", required: ["text"] });
    expect(await one.call("mcp__one__echo", { text: "hi" })).toEqual({
      content: [{ type: "text", text: "echo: hi" }],
      details: {},
    });
    expect(one.warnings).toEqual([]);
  });

  test("does not cancel calls that were answered earlier", async () => {
    await using one = await oneServer();
    await one.call("mcp__one__echo", { text: "hi" });
    await one.servers.close();
    expect(one.log()).toContain("started");
    expect(one.log()).not.toContain("asked to stop");
  });

  test("returns a tool error as an error result and throws a protocol error", async () => {
    await using one = await oneServer("--many", "1");
    const failed = await one.call("mcp__one__fail");
    expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "it went wrong" }] });
    const error = await failure(one.call("mcp__one__many_0"));
    expect(error.message).toBe('MCP server "one" answered with an error: there is no tool many_0');
    expect(textOf(await one.call("mcp__one__echo", { text: "hi" }))).toBe("echo: hi");
    expect(one.log().match(/started/g)).toHaveLength(1);
  });

  test("receives the environment of child processes, its own variables and the session's directory", async () => {
    await using one = await oneServer();
    const names = ["GIVEN", "PINTLE", "PATH"];
    const seen = JSON.parse(textOf(await one.call("mcp__one__surroundings", { names })));
    expect(seen).toMatchObject({ cwd: one.folder.cwd, env: { GIVEN: "given", PINTLE: "1" } });
    expect(seen.env.PATH).toBeString();
  });

  test("turns progress into updates, and an abort reaches the server and ends the call immediately", async () => {
    await using one = await oneServer();
    const abort = new AbortController();
    const updated = Promise.withResolvers<unknown>();
    const call = failure(one.call("mcp__one__wait", {}, { signal: abort.signal, update: updated.resolve }));
    expect(await updated.promise).toEqual({ content: [{ type: "text", text: "1/4 at work" }] });
    const reason = new Error("enough");
    abort.abort(reason);
    expect(await call).toBe(reason);
    expect(await eventually(() => one.log().includes("cancelled"))).toBe(true);
    expect(textOf(await one.call("mcp__one__echo", { text: "still there" }))).toBe("echo: still there");
  });

  test("ends a silent call after the server's timeout", async () => {
    using folder = projectFolder();
    const connect = async (timeout: number) => {
      folder.write("~/mcp.json", mcpFile({ one: { ...stdio(), timeout } }));
      const one = await serversOf(folder);
      await one.servers.connected(30_000);
      return one;
    };
    // The same limit applies to the start, for which a busy machine may need longer.
    let timeout = 1_500;
    let started = await connect(timeout);
    for (; started.tools.length === 0; started = await connect(timeout)) {
      await started[Symbol.asyncDispose]();
      timeout *= 2;
    }
    await using one = started;
    const error = await failure(one.call("mcp__one__wait"));
    expect(error.message).toBe(`MCP server "one" did not answer within ${timeout / 1_000} s`);
  });

  test("ignores noise on stdout", async () => {
    await using one = await oneServer("--noise");
    expect(textOf(await one.call("mcp__one__echo", { text: "hi" }))).toBe("echo: hi");
    expect(one.warnings).toEqual([]);
  });

  test("notices when the tools change", async () => {
    await using one = await oneServer();
    const before = one.names();
    await one.call("mcp__one__grow");
    await one.until(() => one.tools.length > before.length);
    expect(one.names().filter((name) => !before.includes(name))).toEqual([`mcp__one__grown_${before.length}`]);
  });
});

describe("a server that exits", () => {
  test("during a call causes an error with its last output, and the next call restarts it", async () => {
    await using one = await oneServer();
    const first = JSON.parse(textOf(await one.call("mcp__one__surroundings"))).pid;
    const error = await failure(one.call("mcp__one__die"));
    expect(error.message).toBe(
      'MCP server "one" ended during the call: it exited with code 3. It wrote:\nthe server has had enough',
    );
    expect(one.names()).toContain("mcp__one__echo");
    const [again, other] = await Promise.all([
      one.call("mcp__one__surroundings"),
      one.call("mcp__one__echo", { text: "both" }),
    ]);
    expect(JSON.parse(textOf(again)).pid).not.toBe(first);
    expect(textOf(other)).toBe("echo: both");
    expect(one.log().match(/started/g)).toHaveLength(2);
  });

  test("between calls causes a warning", async () => {
    await using one = await oneServer();
    const { pid } = JSON.parse(textOf(await one.call("mcp__one__surroundings")));
    process.kill(pid, "SIGKILL");
    await one.until(() => one.warnings.length > 0);
    expect(one.warnings).toEqual(['MCP server "one" has ended: it was killed by SIGKILL']);
  });

  test("permanently makes every call an error, with one restart attempt each", async () => {
    using folder = projectFolder();
    const script = folder.write("~/server.sh", `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
    const { args } = stdio();
    folder.write("~/mcp.json", mcpFile({ one: { command: "sh", args: [script, ...args] } }));
    await using one = await serversOf(folder);
    await one.servers.connected(30_000);
    folder.write("~/server.sh", `echo gone >&2; echo x >> ${folder.at("attempts")}; exit 9\n`);
    await failure(one.call("mcp__one__die"));
    for (const attempts of ["x\n", "x\nx\n"]) {
      const error = await failure(one.call("mcp__one__echo", { text: "hi" }));
      expect(error.message).toBe(
        'MCP server "one" has ended and could not be started again: it exited with code 9. It wrote:\ngone',
      );
      expect(readFileSync(folder.at("attempts"), "utf8")).toBe(attempts);
    }
  });

  test("at startup causes a warning without its secrets", async () => {
    using folder = projectFolder();
    folder.write(
      "~/mcp.json",
      mcpFile({
        leaves: { ...stdio("--leave"), env: { SECRET: variable("TOKEN") } },
        missing: { command: "/does/not/exist" },
        nowhere: { ...stdio(), cwd: "/does/not/exist" },
      }),
    );
    await using one = await serversOf(folder, { env: { TOKEN: "s3cret-token" } });
    await one.servers.connected(30_000);
    expect(one.warnings.sort()).toEqual([
      'MCP server "leaves" cannot be used: it exited with code 7. It wrote:\nnothing to do here, signed ***',
      'MCP server "missing" cannot be used: Program not found: /does/not/exist',
      'MCP server "nowhere" cannot be used: Working directory does not exist: /does/not/exist',
    ]);
    expect(one.tools).toEqual([]);
  });

  test("warns before it reports the failure, so that the warning never follows the next attempt", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ missing: { command: "/does/not/exist" } }));
    const warningsAtStatus: string[] = [];
    await using one = await serversOf(folder, {
      onStatus: (status, { warnings }) => warningsAtStatus.push(`${status}: ${warnings.length}`),
    });
    await one.servers.connected(30_000);
    expect(warningsAtStatus).toEqual(["connecting: 0", "failed: 1"]);
    expect(one.warnings).toHaveLength(1);
  });
});

describe("a server that breaks the protocol", () => {
  test.each<[string, string, string]>([
    ["writes a line without end", "tr '\\0' x </dev/zero", "it sent a message of more than 32 MiB"],
    ["closes its output", "exec >&-; sleep 86400", "it has closed its output"],
  ])("because it %s is disconnected", async (_, script, reason) => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ odd: { command: "sh", args: ["-c", script], timeout: 60_000 } }));
    await using one = await serversOf(folder);
    await one.until(() => one.warnings.length > 0);
    expect(one.warnings[0]).toBe(`MCP server "odd" cannot be used: ${reason}`);
    expect(await eventually(() => one.processRunner.groupCount === 0)).toBe(true);
  });
});

describe("a server that never responds", () => {
  test("is stopped after its timeout", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ one: { ...stdio("--silent"), timeout: 1_500 } }));
    await using one = await serversOf(folder);
    await one.until(() => one.warnings.length > 0);
    expect(one.warnings).toEqual(['MCP server "one" cannot be used: it did not answer within 1.5 s']);
    expect(await eventually(() => one.processRunner.groupCount === 0)).toBe(true);
  });

  test("does not delay the end of the session", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ one: stdio("--silent", "--stubborn", "--log", folder.at("log")) }));
    await using one = await serversOf(folder);
    expect(await eventually(() => one.processRunner.groupCount > 0)).toBe(true);
    await one.servers.close();
    expect(one.warnings).toEqual([]);
    expect(await eventually(() => one.processRunner.groupCount === 0)).toBe(true);
  });
});

test("is killed when the session ends if it ignores requests to stop", async () => {
  const one = await oneServer("--stubborn");
  const { pid } = JSON.parse(textOf(await one.call("mcp__one__surroundings")));
  await one.servers.close();
  expect(groupExists(pid)).toBe(false);
  expect(one.log()).toContain("SIGTERM");
  await one[Symbol.asyncDispose]();
});
