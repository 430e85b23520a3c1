import { describe, expect, test } from "bun:test";
import { type RunCommand, SecretValueError, SecretValues } from "../../../src/config/keys/secret-value.ts";

const env = { MY_KEY: "from-environment", EMPTY: "" };

/** Answers like a shell without running one; records the commands. */
function fakeShell(answers: Record<string, { stdout: string; exitCode: number } | Error | "hangs"> = {}) {
  const commands: string[] = [];
  const runCommand: RunCommand = (command) => {
    commands.push(command);
    const answer = answers[command] ?? { stdout: "", exitCode: 0 };
    if (answer === "hangs") return new Promise(() => {});
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { commands, runCommand };
}

describe("what a value resolves to", () => {
  test.each([
    ["!pass show key", "from-command"],
    ["! pass show key ", "from-command"],
    ["MY_KEY", "from-environment"],
    ["$MY_KEY", "from-environment"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what people write
    ["${MY_KEY}", "from-environment"],
    ["$NOT_SET", ""],
    ["$EMPTY", ""],
    ["EMPTY", "EMPTY"],
    ["$2y$literal", "$2y$literal"],
    ["sk-literal", "sk-literal"],
  ])("%p is %p", async (value, expected) => {
    const { runCommand } = fakeShell({ "pass show key": { stdout: "  from-command\n", exitCode: 0 } });
    expect(await new SecretValues({ env, runCommand }).resolve(value, "It")).toBe(expected);
  });

  test("a command runs each time", async () => {
    const shell = fakeShell({ key: { stdout: "k", exitCode: 0 } });
    const values = new SecretValues({ env, ...shell });
    await values.resolve("!key", "It");
    await values.resolve("!key", "It");
    expect(shell.commands).toEqual(["key", "key"]);
  });
});

test("checking whether there is a value never runs a command", () => {
  const shell = fakeShell();
  const values = new SecretValues({ env, ...shell });
  const asked = ["!pass show key", "!", "! ", "MY_KEY", "$MY_KEY", "$NOT_SET", "sk-literal", ""].map((value) => [
    value,
    values.has(value),
  ]);
  expect(asked).toEqual([
    ["!pass show key", true],
    ["!", false],
    ["! ", false],
    ["MY_KEY", true],
    ["$MY_KEY", true],
    ["$NOT_SET", false],
    ["sk-literal", true],
    ["", false],
  ]);
  expect(shell.commands).toEqual([]);
});

describe("a command that fails", () => {
  const SECRET = "sk-very-secret";
  const command = `echo ${SECRET}`;

  test.each([
    ["ends with an error", { stdout: SECRET, exitCode: 3 }, "The key: its command ended with exit code 3"],
    ["prints nothing", { stdout: " \n", exitCode: 0 }, "The key: its command printed nothing"],
    ["cannot be started", new Error(`not found: ${SECRET}`), "The key: its command could not be started"],
    ["takes too long", "hangs" as const, "The key: its command took longer than 0.02 s"],
  ])("%s: the text says so and quotes neither command nor output", async (_name, answer, expected) => {
    const { runCommand } = fakeShell({ [command]: answer });
    const values = new SecretValues({ env, runCommand, commandLimitMs: 20 });
    const failure = await values.resolve(`!${command}`, "The key").catch((error: unknown) => error);
    expect(failure).toEqual(new SecretValueError(expected));
  });

  test("aborts the runner's signal when the time is up", async () => {
    let stopped = false;
    const runCommand: RunCommand = (_command, { signal }) => {
      signal.addEventListener("abort", () => {
        stopped = true;
      });
      return new Promise(() => {});
    };
    await new SecretValues({ env, runCommand, commandLimitMs: 5 }).resolve("!x", "The key").catch(() => {});
    expect(stopped).toBe(true);
  });

  test("handles a runner that throws synchronously the same way", async () => {
    const runCommand: RunCommand = () => {
      throw new Error(command);
    };
    const values = new SecretValues({ env, runCommand });
    const failure = await values.resolve(`!${command}`, "The key").catch((error: unknown) => error);
    expect(failure).toEqual(new SecretValueError("The key: its command could not be started"));
  });

  test("without a runner it is an error, not a literal", async () => {
    const failure = await new SecretValues({ env }).resolve("!x", "The key").catch((error: unknown) => error);
    expect(failure).toEqual(new SecretValueError("The key is a command, and commands cannot be run here"));
  });
});

test("the output of a command is known as a secret afterwards", async () => {
  const values = new SecretValues({ env, ...fakeShell({ key: { stdout: "sk-1\n", exitCode: 0 } }) });
  await values.resolve("!key", "It");
  expect([...values.known()]).toEqual(["sk-1"]);
});
