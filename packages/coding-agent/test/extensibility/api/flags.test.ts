import { expect, test } from "bun:test";
import type { FlagDefinition } from "../../../src/extensibility/api/extension-types.ts";
import { flagValue, type GivenFlag } from "../../../src/extensibility/api/flags.ts";

const TEXT: FlagDefinition = { type: "string", default: "low" };
const SWITCH: FlagDefinition = { type: "boolean" };

test.each<[FlagDefinition, GivenFlag | undefined, unknown]>([
  [TEXT, undefined, "low"],
  [TEXT, true, "low"],
  [TEXT, "high", "high"],
  [TEXT, "", ""],
  [TEXT, { next: "high" }, "high"],
  [SWITCH, undefined, undefined],
  [SWITCH, true, true],
  [SWITCH, "no", false],
  [SWITCH, { next: "no" }, true],
])("parses %j given as %j to %j", (flag, given, expected) => {
  expect(flagValue(flag, given)).toEqual(expected as never);
  expect(flagValue(undefined, given)).toBeUndefined();
});
