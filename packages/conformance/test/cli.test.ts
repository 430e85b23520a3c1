import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchPath } from "../../../test/support/scratch-directory.mjs";

// The command as users call it: built, under Node.

const repository = resolve(import.meta.dir, "../../..");
const cli = resolve(import.meta.dir, "../dist/cli.js");

async function conformance(...args: string[]) {
  const child = Bun.spawn(["node", cli, ...args], { cwd: repository, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

describe("pintle-conformance", () => {
  test("checks an agent given by a relative path, and reports as JSON", async () => {
    const place = scratchPath();
    const report = join(place, "report.json");
    const { code, stdout, stderr } = await conformance(
      ...["--only", "ids/", "--only", "framing/CRLF", "--timeout", "60000", "--report", report, "--", "dist/pintle"],
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toEndWith("4 passed, 0 failed, 0 not declared\n");
    const { agent, counts, checks } = JSON.parse(readFileSync(report, "utf8"));
    expect([agent.profile, counts]).toEqual(["pintle", { passed: 4, failed: 0, skipped: 0 }]);
    expect(checks[0]).toMatchObject({ name: "framing/CRLF", outcome: "passed", link: "docs/rpc.md#frames-and-ids" });
    rmSync(place, { recursive: true });
  });

  test("a broken rule is shown with its text, its section and the frames; a custom profile declares less", async () => {
    const place = scratchPath();
    const profile = join(place, "mine.json");
    const env = { FAULT: "made-up ids", PROGRAM: join(repository, "dist/pintle") };
    writeFileSync(profile, JSON.stringify({ name: "mine", base: "pintle", env, features: ["settled"] }));
    const agent = ["--", "node", "packages/conformance/test/support/faulty-agent.mjs"];
    const options = ["--profile", profile, "--only", "ids/absent", "--only", "ready first", "--timeout", "60000"];
    const { code, stdout } = await conformance(...options, ...agent);
    expect(code).toBe(1);
    expect(stdout).toContain("skip  framing/ready first: not declared: the first line is `ready`");
    expect(stdout).toContain("FAIL  ids/absent: the response has the id made up");
    expect(stdout).toContain("rule: A command without an id gets a response without one.");
    expect(stdout).toContain('→ {"type":"get_state"}');
    expect(stdout).toEndWith("0 passed, 1 failed, 1 not declared\n");
    rmSync(place, { recursive: true });
  });

  test.each([
    [[], "COMMAND is missing: pintle-conformance -- COMMAND…\n"],
    [["--profile", "none", "--", "dist/pintle"], expect.stringContaining("Unknown profile none")],
    [["--only", "nothing like it", "--", "dist/pintle"], "no check is named like nothing like it\n"],
    [["--jobs", "0", "--", "dist/pintle"], "--jobs and --timeout must be positive numbers\n"],
    [["--", "false"], expect.stringContaining("The agent does not answer get_state")],
    [["--", "no-such-program"], expect.stringContaining("no-such-program")],
  ])("wrong usage: %j", async (args, text) => {
    const { code, stdout, stderr } = await conformance(...args);
    expect([code, stdout, stderr]).toEqual([2, "", text]);
  });

  test("--list, --features and --help", async () => {
    expect((await conformance("--list")).stdout).toContain(
      "runs/acknowledged first: The response to `prompt` comes before",
    );
    expect((await conformance("--features")).stdout).toContain("host_tools: tools that run in the host\n");
    expect((await conformance("--help")).stdout).toStartWith("pintle-conformance [options] -- COMMAND…");
  });
});
