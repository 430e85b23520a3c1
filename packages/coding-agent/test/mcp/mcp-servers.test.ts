import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../../agent/test/support/tools.ts";
import { eventually } from "../../../exec/test/support/processes/living-processes.ts";
import type { TrustAsker } from "../../src/trust/ask-for-trust.ts";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { mcpFile, serversOf, stdio } from "../support/mcp/servers-of.ts";
import { type ProjectFolder, projectFolder } from "../support/trust/project-folder.ts";

const YES: TrustAsker = { by: "host", ask: async () => ({ isTrusted: true, isRemembered: true }) };

/** Returns how often servers in a folder were started. */
function starts(folder: ProjectFolder): number {
  const log = folder.at("~/log");
  return existsSync(log) ? (readFileSync(log, "utf8").match(/started/g)?.length ?? 0) : 0;
}

const logged = (folder: ProjectFolder, ...flags: string[]) => stdio("--log", folder.at("~/log"), ...flags);

describe("starting servers", () => {
  test("loads nothing without a file, and closes immediately", async () => {
    using folder = projectFolder();
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(30_000);
    await mcp.servers.close();
    expect([mcp.tools, mcp.warnings, mcp.processRunner.groupCount]).toEqual([[], [], 0]);
  });

  test("starts none when MCP is disabled", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder, { isEnabled: false });
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect([mcp.tools, starts(folder)]).toEqual([[], 0]);
  });

  test("starts each configured server independently and reports an invalid one as a warning", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ good: logged(folder), bad: { command: "x", url: "https://a.example" } }));
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(30_000);
    expect(mcp.names()).toContain("mcp__good__echo");
    expect(mcp.warnings).toEqual([`MCP server "bad" (${folder.at("~/mcp.json")}): command and url exclude each other`]);
    await mcp.servers.review();
    expect([mcp.warnings.length, starts(folder)]).toEqual([1, 1]);
  });

  test("does not let a slow server delay the others", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ slow: stdio("--silent"), quick: stdio() }));
    await using mcp = await serversOf(folder);
    await mcp.until(() => mcp.tools.length > 0);
    expect(textOf(await mcp.call("mcp__quick__echo", { text: "hi" }))).toBe("echo: hi");
    await mcp.servers.connected(10);
    expect(mcp.warnings).toEqual([]);
  });

  test("starts added servers, stops removed ones and keeps the rest when the files change", async () => {
    using folder = projectFolder();
    const stays = logged(folder, "stays");
    folder.write("~/mcp.json", mcpFile({ stays, goes: logged(folder) }));
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(30_000);
    const { pid } = JSON.parse(textOf(await mcp.call("mcp__stays__surroundings")));
    folder.write("~/mcp.json", mcpFile({ stays, comes: logged(folder) }));
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect(new Set(mcp.names().map((name) => name.split("__")[1]))).toEqual(new Set(["stays", "comes"]));
    expect(JSON.parse(textOf(await mcp.call("mcp__stays__surroundings"))).pid).toBe(pid);
    rmSync(folder.at("~/mcp.json"));
    await mcp.servers.review();
    expect(mcp.tools).toEqual([]);
    expect(await eventually(() => mcp.processRunner.groupCount === 0)).toBe(true);
  });

  test("restarts them in the new directory", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ one: logged(folder) }));
    mkdirSync(join(folder.root, "other"));
    let cwd = folder.cwd;
    await using mcp = await serversOf(folder, { cwd: () => cwd });
    await mcp.servers.connected(30_000);
    cwd = join(folder.root, "other");
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect(JSON.parse(textOf(await mcp.call("mcp__one__surroundings"))).cwd).toBe(cwd);
  });

  test("does not start a server for a call after close", async () => {
    using folder = projectFolder();
    folder.write("~/mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(30_000);
    await mcp.servers.close();
    await mcp.servers.review();
    const failed = await mcp.call("mcp__one__echo", { text: "hi" }).catch((error: Error) => error.message);
    expect(failed).toContain("could not be started again: The session has ended");
    expect(starts(folder)).toBe(1);
    expect(await eventually(() => mcp.processRunner.groupCount === 0)).toBe(true);
  });
});

describe("many tools", () => {
  test("fetches all pages, resolves long and colliding names, and reports invalid schemas", async () => {
    using folder = projectFolder();
    const long = "x".repeat(60);
    folder.write(
      "~/mcp.json",
      mcpFile({ [long]: stdio("--many", "500", "--page", "50"), "a.b": stdio("--faulty"), a_b: stdio() }),
    );
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(60_000);
    const names = mcp.names();
    expect(names.filter((name) => name.startsWith(`mcp__${long.slice(0, 50)}`))).toHaveLength(508);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^\w{1,64}$/);
    expect(mcp.warnings.filter((text) => text.startsWith("Several MCP tools"))).toHaveLength(8);
    const [faults] = mcp.warnings.filter((text) => text.includes("left out"));
    expect(faults).toStartWith('MCP server "a.b" has tools that are left out: tool "list": its schema must describe');
    expect(faults).toEndWith("and 4 more");
    const last = mcp.tools.find(({ description }) => description === "many_499");
    const failed = await mcp.call(last?.name ?? "").catch((error: Error) => error.message);
    expect(failed).toContain("there is no tool many_499");
  });
});

describe("servers of a project", () => {
  const PLACES = ["mcp.json", ".mcp.json", ".pintle/mcp.json"];

  test("do not run and are not contacted without consent", async () => {
    await using http = await startHttpServer();
    for (const flag of [undefined, "closed"] as const) {
      using folder = projectFolder();
      for (const [index, path] of PLACES.entries()) {
        folder.write(path, mcpFile({ [`s${index}`]: logged(folder), [`h${index}`]: { url: http.url } }));
      }
      await using mcp = await serversOf(folder, { ...(flag && { flag }) });
      await mcp.servers.connected(30_000);
      await mcp.servers.review();
      await mcp.servers.connected(30_000);
      expect([mcp.tools, mcp.warnings, starts(folder), http.requests.length]).toEqual([[], [], 0, 0]);
    }
  });

  test("run after consent is given later or remembered", async () => {
    using folder = projectFolder();
    folder.write(".mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder);
    await mcp.servers.connected(30_000);
    expect([mcp.trust.state, starts(folder)]).toEqual(["withheld", 0]);
    expect(await mcp.trust.ask(YES)).toBe("trusted");
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect(textOf(await mcp.call("mcp__one__echo", { text: "hi" }))).toBe("echo: hi");
    await using later = await serversOf(folder);
    await later.servers.connected(30_000);
    expect([later.trust.state, later.names()[0]?.slice(0, 8), starts(folder)]).toEqual(["trusted", "mcp__one", 2]);
  });

  test("run when the caller that starts the program trusts the project", async () => {
    using folder = projectFolder();
    folder.write(".pintle/mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder, { flag: "open" });
    await mcp.servers.connected(30_000);
    expect(starts(folder)).toBe(1);
  });

  test("do not run if they were swapped after consent", async () => {
    using folder = projectFolder();
    folder.write(".mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder, { isEnabled: true });
    expect(await mcp.trust.ask(YES)).toBe("trusted");
    folder.write(".mcp.json", mcpFile({ one: logged(folder, "--other") }));
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect([mcp.tools, starts(folder)]).toEqual([[], 0]);
    expect(mcp.warnings).toEqual([
      `${folder.at(".mcp.json")}: has changed since consent was given; its servers are not started`,
    ]);
  });

  test("stop when consent is lost, and a call does not restart them", async () => {
    using folder = projectFolder();
    folder.write(".mcp.json", mcpFile({ one: logged(folder) }));
    await using mcp = await serversOf(folder);
    await mcp.trust.ask(YES);
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    folder.write(".mcp.json", mcpFile({ one: logged(folder), two: logged(folder) }));
    await mcp.trust.review();
    await mcp.call("mcp__one__die").catch(() => {});
    const failed = await mcp.call("mcp__one__echo", { text: "hi" }).catch((error: Error) => error.message);
    expect(failed).toContain("there is no consent to its configuration any more");
    await mcp.servers.review();
    expect([mcp.tools, starts(folder)]).toEqual([[], 1]);
  });

  test("cannot be approved through a link that leaves the project", async () => {
    using folder = projectFolder();
    folder.write("~/elsewhere.json", mcpFile({ one: logged(folder) }));
    folder.link(".mcp.json", folder.at("~/elsewhere.json"));
    await using mcp = await serversOf(folder);
    await mcp.trust.ask(YES);
    await mcp.servers.review();
    await mcp.servers.connected(30_000);
    expect([mcp.trust.state, mcp.tools, starts(folder)]).toEqual(["withheld", [], 0]);
  });
});
