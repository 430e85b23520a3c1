import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../support/program.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// An extension's command may start a run. The modes that answer and exit wait for that run too.

const EXTENSION = `export default (pi) => {
  pi.registerCommand("user", { handler: (args) => pi.sendUserMessage(args) });
  pi.registerCommand("custom", { handler: (args) =>
    pi.sendMessage({ customType: "x", content: args, display: true }, { triggerTurn: true }) });
};`;

describe.each(["user", "custom"])("a run that a command starts by sending a message (%s)", (command) => {
  test.each([["text"], ["json"]])("is completed with --mode %s", async (mode) => {
    using place = machine();
    writeFileSync(join(place.cwd, "it.js"), EXTENSION);
    const words = ["--mode", mode, "-p", `/${command} run echo abc`, "--message", "run echo def"];
    const { code, stdout, stderr } = await runProgram(["-e", "it.js", ...words], place);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("it.js")]);
    const [first, second] = [stdout.indexOf("abc"), stdout.indexOf("def")];
    expect([first >= 0, second > first]).toEqual([true, true]);
  });
});
