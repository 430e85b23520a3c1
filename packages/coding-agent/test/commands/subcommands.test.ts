import { describe, expect, test } from "bun:test";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { SUBCOMMANDS } from "../../src/commands/subcommands.ts";
import { cleanEnvironment, runProgram } from "../support/program.ts";

async function run(...args: string[]) {
  using scratch = scratchDirectory();
  return await runProgram(args, { cwd: scratch.path, env: cleanEnvironment(scratch.path) });
}

describe("a subcommand", () => {
  test.each(Object.keys(SUBCOMMANDS))("%s prints its usage", async (name) => {
    const help = await run("help", name);
    expect(help).toEqual({ code: 0, stdout: expect.stringContaining(`Usage: pintle ${name} `), stderr: "" });
    expect(await run(name, "--help")).toEqual(help);
    expect((await run("--help")).stdout).toContain(`  ${name} `);
  });

  test("may have another name", async () => {
    expect(await run("completion", "fish")).toEqual(await run("completions", "fish"));
  });

  test("is recognized only as the first argument", async () => {
    for (const args of [
      ["-p", "help"],
      ["--", "help"],
    ]) {
      const { code, stdout } = await run("--model", "pintle/offline", ...args);
      expect({ code, isUsage: stdout.startsWith("Usage:") }).toEqual({ code: 0, isUsage: false });
    }
  });

  test("a word that resembles one is a message if others follow, or after -p", async () => {
    for (const args of [
      ["-p", "session"],
      ["session", "plans"],
    ]) {
      const { code, stderr } = await run("--model", "pintle/offline", ...args);
      expect([code, stderr.includes("subcommand")]).toEqual([0, false]);
    }
  });

  test("a search without matching models is reported", async () => {
    const { code, stderr } = await run("models", "--offline", "no-such");
    expect([code, stderr]).toEqual([0, 'pintle: no usable model matches "no-such"\n']);
  });

  test.each<[string[], string, string?]>([
    [["sessions", "--jsn"], "unknown option --jsn (did you mean --json?)", "pintle sessions --help"],
    [["doctor", "--cwd", ""], "--cwd needs a value <dir>", "pintle doctor --help"],
    [["compat", "pi", "--install", "--help"], "--install needs a value <dir>", "pintle compat --help"],
    [["help", "no-such"], 'there is no subcommand "no-such"'],
    [["help", "--sideways"], "unknown option --sideways"],
    [["help", "--hepl"], "unknown option --hepl (did you mean --help?)"],
    [["help", "-x"], "unknown option -x"],
    [["help", "help", "help"], "pintle help takes one subcommand"],
    [["session"], 'there is no subcommand "session" (did you mean sessions?); pintle -p session sends the word'],
    [["Modles"], 'there is no subcommand "Modles" (did you mean models?); pintle -p Modles sends the word'],
  ])("%j is a usage error", async (args, message, help = "pintle --help") => {
    const result = await run(...args);
    expect(result).toEqual({ code: 2, stdout: "", stderr: `pintle: ${message}\nTry: ${help}\n` });
  });
});
