import { expect, test } from "bun:test";
import { checkCommand } from "../../src/commands/permission-bounds.ts";

const bounds = (max: "plan" | "ask" | "workspace") => ({ max, allowAlways: true });

test.each([
  ["rewind_files", {}],
  ["redo_files", { rewindId: "rw_1" }],
  ["move_leaf", { entryId: "e", files: true }],
  ["branch", { entryId: "e", files: true }],
  ["fork", { entryId: "e", files: true }],
])("%s needs the preset workspace to rewind files", (type, fields) => {
  for (const max of ["plan", "ask"] as const) expect(() => checkCommand(type, fields, bounds(max))).toThrow(max);
  expect(() => checkCommand(type, fields, bounds("workspace"))).not.toThrow();
});

test.each([
  ["rewind_files", { dryRun: true }],
  ["move_leaf", { entryId: "e" }],
  ["branch", { entryId: "e", files: false }],
])("%s without a change of files needs no preset: %j", (type, fields) => {
  expect(() => checkCommand(type, fields, bounds("plan"))).not.toThrow();
});
