import { expect, test } from "bun:test";
import { basename } from "node:path";
import { describeMachine } from "../../../src/resources/system-prompt/machine.ts";

const bash = [{ name: "read" }, { name: "bash" }];

test("names the shell that commands get", () => {
  expect(describeMachine(bash, "/")).toMatch(/^Operating system: \w+ \(\w+\), shell: (ba)?sh$/);
  expect(describeMachine(bash, "/", process.execPath)).toEndWith(`, shell: ${basename(process.execPath)}`);
});

test("omits the shell for a model that runs no commands, or if there is none", () => {
  expect(describeMachine([{ name: "read" }], "/")).toMatch(/^Operating system: \w+ \(\w+\)$/);
  expect(describeMachine(bash, "/", "/no/such/shell")).toMatch(/\)$/);
});
