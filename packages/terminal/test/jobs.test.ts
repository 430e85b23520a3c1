import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { isReady, KEYS, TerminalRun } from "./support/terminal-run.ts";

// Background jobs in the built program at a real terminal, with a model on loopback.

const CTRL_U = "\u0015";
const CTRL_B = "\u0002";
/** A command that ends when the file appears. */
const untilFile = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`;
const bash = (command: string, more: object = {}) => callsTools({ name: "bash", args: { command, ...more } });

describe("a background job in the terminal", () => {
  test("is shown above the editor while it runs, and its end starts a run that says why", async () => {
    const continued = heldAnswer();
    const command = `echo compiling; ${untilFile("go")}; exit 3`;
    await using chat = await chatPlace(bash(command, { async: true }), says("Started it."), continued.respond);
    await using run = new TerminalRun([...CHAT, "build it"], chat.place, { columns: 120 });
    await run.sees("Started it.");
    await run.until(
      (screen) => screen.screen().some((line) => /^ {2}● echo compiling; .* · compiling$/.test(line)),
      "the row",
    );
    expect(run.screen.screen().join("\n")).toContain("1 background job · /jobs");
    writeFileSync(join(chat.place.cwd, "go"), "");
    await run.sees("✗ bg_1 ended: exit code 3 after");
    await run.sees("The agent continues, because a background command has ended.");
    await continued.asked;
    continued.write("The build failed.");
    continued.finish();
    await run.sees("The build failed.");
    await run.until((screen) => !screen.screen().join("\n").includes("background job ·"), "no row");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("Background job bg_1 has ended: exit code 3");
    // The model's report can be read in full.
    expect(run.screen.lines().join("\n")).not.toContain("Background job bg_1 has ended");
    run.type(KEYS.ctrlO);
    await run.sees("Background job bg_1 has ended: exit code 3");
  });

  test("is listed by /jobs with its output, which can be followed in the pager and stopped", async () => {
    const command = `echo line one; ${untilFile("more")}; echo line two; sleep 600`;
    await using chat = await chatPlace(bash(command, { service: true }), says("It serves."));
    const pager = join(chat.place.cwd, "pager");
    // Shows the file until the second line is in it.
    writeFileSync(pager, `#!/bin/sh\nuntil grep -q '^line two' "$1"; do sleep 0.05; done; sed 's/^/paged: /' "$1"\n`, {
      mode: 0o700,
    });
    await using run = new TerminalRun([...CHAT, "serve it"], chat.place, { columns: 120, env: { PAGER: pager } });
    await run.sees("It serves.");
    await isReady(run);
    run.type(`/jobs${KEYS.enter}`);
    await run.sees("bg_1, service, running");
    run.type(KEYS.enter);
    await run.until((screen) => screen.screen().some((line) => /^ {2}line one$/.test(line)), "its output");
    run.type("v");
    await run.until(() => true);
    writeFileSync(join(chat.place.cwd, "more"), "");
    await run.until((screen) => {
      // Until the menu is drawn again, the keyboard belongs to the pager.
      const lines = screen.lines();
      const paged = lines.findLastIndex((line) => line.includes("paged: line two"));
      return paged >= 0 && lines.findLastIndex((line) => line.includes("2 stop it (x)")) > paged;
    }, "the menu after the pager");
    // A key that is read together with a report of the terminal counts as typed ahead, and is not taken.
    const ended = run.sees("– bg_1 ended: stopped after").then(() => true);
    do run.type("x");
    while (!(await Promise.race([ended, Bun.sleep(1_000).then(() => false)])));
    run.type(CTRL_U); // one of them may have come after the question was answered
    expect(chat.server.requests).toHaveLength(2); // the model is not asked because of it
    run.type(`/jobs${KEYS.enter}`);
    await run.sees("bg_1, stopped after");
  });

  test("is what ctrl+b makes of a running command, and the agent goes on", async () => {
    await using chat = await chatPlace(
      bash(`echo begun; ${untilFile("go")}`),
      says("It runs on."),
      says("It has ended."),
    );
    await using run = new TerminalRun([...CHAT, "run it"], chat.place, { columns: 120 });
    await run.sees("ctrl+b to background");
    await run.sees("  begun");
    run.type(CTRL_B);
    await run.sees("It runs on.");
    expect(JSON.stringify(chat.server.requests.at(-1)?.body)).toContain("Running in the background as bg_1");
    writeFileSync(join(chat.place.cwd, "go"), "");
    await run.sees("It has ended.");
  });

  test("leaves ctrl+b to the editor while no command runs", async () => {
    await using chat = await chatPlace(says("ok"));
    await using run = new TerminalRun(CHAT, chat.place);
    await isReady(run);
    run.type(`bc${CTRL_B}${CTRL_B}`);
    await run.until((screen) => screen.screen().includes("bc"));
    run.type(`a${KEYS.enter}`);
    await run.sees("❯ abc");
  });

  test("ends with the program, which says so before and after", async () => {
    const command = `echo ${crypto.randomUUID()}; sleep 600`;
    await using chat = await chatPlace(bash(command, { async: true }), says("Started it."));
    await using run = new TerminalRun([...CHAT, "go"], chat.place, { columns: 120 });
    await run.sees("Started it.");
    await run.sees("1 background job · /jobs");
    run.type(KEYS.ctrlD);
    await run.sees("press ctrl+d again to quit and stop 1 background job");
    run.type(KEYS.ctrlD);
    expect(await run.exited).toBe(0);
    await run.sees(`Stopped 1 background job:\n  ${command}`);
    expect(Bun.spawnSync(["ps", "-eo", "args"]).stdout.toString()).not.toContain(command);
  });

  test("is in the history of a resumed session once, with how it ended", async () => {
    await using chat = await chatPlace(bash("true", { async: true }), says("Started it."), says("It is done."));
    await using run = new TerminalRun([...CHAT, "go"], chat.place);
    await run.sees("It is done.");
    await isReady(run);
    run.type(KEYS.ctrlD);
    expect(await run.exited).toBe(0);
    await using again = new TerminalRun([...CHAT, "-c"], chat.place);
    await again.sees("It is done.");
    const shown = again.screen.lines().join("\n");
    expect(shown.split("✓ bg_1 ended: exit code 0")).toHaveLength(2);
    expect(shown).not.toContain("<background_jobs>");
  });
});
