import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { ServeProgram } from "../support/serve-program.ts";

type Host = Awaited<ReturnType<ServeProgram["connect"]>>;
type Setting = { key: string; value: unknown };

async function open(host: Host, params: object = {}): Promise<string> {
  const answer = await host.ask({ type: "open_session", ...params });
  if (answer.success !== true) throw new Error(`${String(answer.code)}: ${String(answer.error)}`);
  return (answer.data as { sessionId: string }).sessionId;
}

async function effective(host: Host, sessionId: string): Promise<Map<string, unknown>> {
  const { data } = await host.ask({ type: "get_settings", sessionId });
  return new Map((data as { settings: Setting[] }).settings.map(({ key, value }) => [key, value]));
}

/** Settings, with the restriction that each would loosen. A host must not set any of them under the default ceiling. */
const LOOSENING: readonly (readonly [key: string, value: unknown])[] = [
  ["permissions.mode", "full"],
  ["permissions.rules", [{ effect: "allow", tool: "*" }]],
  ["permissions.projectRules", [{ effect: "ask", tool: "read" }]],
  ["permissions.roots", ["/"]],
  ["permissions.maxDenials", 0],
  ["sandbox.mode", "off"],
  ["sandbox.write", ["/"]],
  ["sandbox.network", "on"],
  ["sandbox.network", ["registry.example"]],
  ["sandbox.userCommands", true],
  ["env.pass", ["*"]],
  ["sessionDir", "/tmp/elsewhere"],
  ["shellPath", "/tmp/evil"],
  ["shellCommandPrefix", "touch /tmp/x;"],
  ["search.preferSystem", true],
  ["disabledExtensions", ["extension-module:guard"]],
  ["traces.endpoint", "http://127.0.0.1:9"],
  ["images.blockImages", true],
  ["serve.maxPermissions", "full"],
  ["serve.env", ["PATH"]],
];

/**
 * One key as an object: split at any of its dots, with blanks, other letter case, and names known to JavaScript around it.
 */
const spelling = fc
  .tuple(
    fc.constantFrom(...LOOSENING),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    fc.constantFrom("", "", "", " ", "\t", "\n", "\u00a0", "\u200b", "\ufeff", "."),
    fc.constantFrom("before", "after", "inside"),
    fc.constantFrom("as it is", "as it is", "upper", "wrapped", "twice", "text"),
  )
  .map(([[key, value], splits, blank, where, how]): Record<string, unknown> => {
    const parts: string[] = [];
    for (const [index, part] of key.split(".").entries()) {
      if (index === 0 || splits[index]) parts.push(part);
      else parts.push(`${parts.pop()}.${part}`);
    }
    const spelled = parts.map((name, index) => {
      if (index !== 0) return where === "inside" ? blank + name : name;
      const cased = how === "upper" ? name.toUpperCase() : name;
      return where === "before" ? blank + cased : where === "after" ? cased + blank : cased;
    });
    const leaf = how === "text" && typeof value !== "string" ? JSON.stringify(value) : value;
    const nested = spelled.reduceRight<unknown>((inner, name) => ({ [name]: inner }), leaf) as Record<string, unknown>;
    if (how === "wrapped") return { settings: nested };
    return how === "twice" ? { "permissions.mode": "plan", ...nested } : nested;
  });

describe("what a host of a server may set", () => {
  test("no spelling of a setting raises the ceiling; each is refused by its name", async () => {
    await using served = new ServeProgram();
    const host = await served.connect();
    for (const [key, value] of LOOSENING) {
      const [group = "", ...rest] = key.split(".");
      const spellings = [
        { [key]: value },
        { [` ${key}`]: value },
        { [`${key} `]: value },
        ...(rest.length > 0 ? [{ [group]: { [rest.join(".")]: value } }] : []),
      ];
      for (const settings of spellings) {
        const answer = await host.ask({ type: "open_session", settings });
        expect(answer).toMatchObject({ success: false });
        expect(["invalid_request", "not_allowed"]).toContain(answer.code as string);
        expect(answer.error).toContain(key);
      }
      const job = await host.ask({
        type: "submit",
        prompt: "hello",
        settings: { [group]: { [rest.join(".")]: value } },
      });
      expect(job).toMatchObject({ success: false });
      expect(job.code).not.toBe("not_supported");
    }
  });

  test(
    "a session that a random spelling opens has the settings of one without it",
    async () => {
      await using served = new ServeProgram();
      const host = await served.connect();
      const plain = await effective(host, await open(host));
      const property = fc.asyncProperty(spelling, async (settings) => {
        const answer = await host.ask({ type: "open_session", settings });
        if (answer.success !== true) {
          expect(["invalid_request", "not_allowed"]).toContain(answer.code as string);
          return;
        }
        const { sessionId } = answer.data as { sessionId: string };
        const found = await effective(host, sessionId);
        await host.ask({ type: "close_session", sessionId });
        for (const [key] of LOOSENING) expect(found.get(key)).toEqual(plain.get(key));
      });
      await fc.assert(property, propertyRuns({ numRuns: 200, seed: 36 }));
    },
    PROPERTY_TIMEOUT_MS,
  );

  test("what cannot loosen anything may be set, dotted or nested", async () => {
    await using served = new ServeProgram();
    const host = await served.connect();
    const settings = {
      retry: { maxRetries: 7 },
      "compaction.enabled": false,
      defaultModel: "offline",
      permissions: { mode: "ask" },
      sandbox: { mode: "read-only", hide: ["secret"] },
    };
    const found = await effective(host, await open(host, { settings }));
    expect(found.get("retry.maxRetries")).toBe(7);
    expect(found.get("compaction.enabled")).toBe(false);
    expect(found.get("permissions.mode")).toBe("ask");
    expect(found.get("sandbox.mode")).toBe("read-only");
    expect(found.get("sandbox.hide")).toEqual(["secret"]);
  });

  test("extensions come from inside the roots only, also by a link, and do not replace those of the user", async () => {
    await using served = new ServeProgram();
    const outside = join(dirname(served.root), "outside.ts");
    const tool = (name: string) =>
      `export default (pi) => pi.registerCommand(${JSON.stringify(name)}, { description: "", handler: async () => {} });`;
    writeFileSync(outside, tool("from-outside"));
    writeFileSync(join(served.root, "inside.ts"), tool("from-inside"));
    symlinkSync(outside, join(served.root, "linked.ts"));
    const host = await served.connect();
    for (const path of [outside, "../outside.ts", "linked.ts", "~/outside.ts", "nowhere.ts"]) {
      for (const key of ["extensions", "customTools", "skills", "prompts"]) {
        const answer = await host.ask({ type: "open_session", settings: { [key]: [path] } });
        expect(answer).toMatchObject({ success: false, code: "not_allowed" });
        expect(answer.error).toContain(key);
      }
    }
    const sessionId = await open(host, { settings: { extensions: ["inside.ts"] } });
    const { data } = await host.ask({ type: "get_available_commands", sessionId });
    const names = (data as { commands: { name: string }[] }).commands.map(({ name }) => name);
    expect(names).toContain("from-inside");
    expect(names).not.toContain("from-outside");
  });

  test("only variables that serve.env names reach commands", async () => {
    await using served = new ServeProgram({
      env: { ANTHROPIC_API_KEY: "the-servers-key", NAMED_TOKEN: "named" },
      settings: { "serve.env": ["NAMED_TOKEN"] },
    });
    const host = await served.connect();
    for (const names of [["*"], ["ANTHROPIC_API_KEY"], ["NAMED_*"], ["NAMED_TOKEN", "*KEY"]]) {
      expect(await host.ask({ type: "open_session", settings: { env: { pass: names } } })).toMatchObject({
        success: false,
        code: "not_allowed",
      });
    }
    const sessionId = await open(host, { settings: { "env.pass": ["NAMED_TOKEN"] } });
    const headers = { authorization: `Bearer $\{ANTHROPIC_API_KEY}` };
    const servers = [{ name: "elsewhere", url: "http://127.0.0.1:9/mcp", headers }];
    expect(await host.ask({ type: "set_mcp_servers", sessionId, servers })).toMatchObject({ code: "not_allowed" });
    const { data } = await host.ask({ type: "bash", sessionId, command: "env" });
    const { output } = data as { output: string };
    expect(output).toContain("NAMED_TOKEN=named");
    expect(output).not.toContain("the-servers-key");
  });

  test("pages are written, and paths completed, inside the roots only", async () => {
    await using served = new ServeProgram();
    const base = dirname(served.root);
    mkdirSync(join(base, "private"));
    writeFileSync(join(base, "private", "plans.txt"), "");
    symlinkSync(join(base, "private"), join(served.root, "link"));
    symlinkSync(join(base, "planted.html"), join(served.root, "dangling.html"));
    mkdirSync(join(served.root, "docs"));
    writeFileSync(join(served.root, "docs", "notes.txt"), "");
    const host = await served.connect();
    const sessionId = await open(host, { cwd: "docs" });
    await host.ask({ type: "prompt", sessionId, message: "hello" });
    await host.next(({ type }) => type === "agent_settled");
    const outputs = [join(base, "page.html"), "../../page.html", "../link/page.html", "../dangling.html"];
    for (const outputPath of outputs) {
      expect(await host.ask({ type: "export_html", sessionId, outputPath })).toMatchObject({
        success: false,
        code: "not_allowed",
      });
    }
    expect(existsSync(join(base, "page.html")) || existsSync(join(base, "planted.html"))).toBe(false);
    const { data } = await host.ask({ type: "export_html", sessionId, outputPath: "../page.html" });
    expect(data).toEqual({ path: join(served.root, "page.html") });
    for (const query of ["/", "/et", "~", "~/", "../../", "../../private/", "../link/", `${base}/private/p`]) {
      expect(await host.ask({ type: "complete_path", sessionId, query })).toMatchObject({
        success: false,
        code: "not_allowed",
      });
    }
    for (const query of ["../", "..", `${served.root}/`]) {
      const answer = await host.ask({ type: "complete_path", sessionId, query });
      expect((answer.data as { paths: { path: string }[] }).paths.map(({ path }) => path.split("/").at(-2))).toContain(
        "docs",
      );
    }
    const { data: found } = await host.ask({ type: "complete_path", sessionId, query: "not" });
    expect(found).toMatchObject({ paths: [{ path: "notes.txt" }] });
  });

  test("under the ceiling plan a host cannot have itself asked about what plan denies", async () => {
    await using served = new ServeProgram({
      settings: { "serve.maxPermissions": "plan", "permissions.mode": "plan" },
    });
    const host = await served.connect();
    const sessionId = await open(host);
    for (const effect of ["allow", "ask"]) {
      const rules = [{ effect, tool: "write" }];
      expect(await host.ask({ type: "set_policy", sessionId, rules })).toMatchObject({ code: "not_allowed" });
    }
    expect(await host.ask({ type: "set_policy", sessionId, rules: [{ effect: "deny", tool: "read" }] })).toMatchObject({
      success: true,
    });
  });
});
