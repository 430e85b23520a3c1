import { expect, test } from "bun:test";
import { previewOutcome } from "../../src/tools/preview-outcome.ts";

const apply = { action: "apply" };
const discard = { action: "discard" };
const part = { action: "apply", sourceResultDetails: { files: ["a", "b"], appliedFiles: ["a"] } };
const whole = { action: "apply", sourceResultDetails: { files: ["a", "b"], appliedFiles: ["a", "b"] } };

test.each([
  ["ast_edit", { resolution: [apply] }, "applied"],
  ["ast_edit", { resolution: [discard] }, "discarded"],
  ["ast_edit", { resolution: [apply, discard] }, "partly applied"],
  ["ast_edit", { resolution: [part] }, "partly applied"],
  ["ast_edit", { resolution: [whole] }, "applied"],
  ["ast_edit", { resolution: [{ ...whole, discarded: { files: [], hunks: ["h"] } }] }, "partly applied"],
  ["ast_edit", { resolution: [{ ...whole, discarded: { files: [], hunks: [] } }] }, "applied"],
  ["ast_edit", { applied: false, diff: "-a\n+b" }, "preview"],
  ["ast_edit", { applied: false, diff: "" }, undefined],
  ["resolve", discard, "discarded"],
  ["resolve", part, "partly applied"],
  ["edit", { diff: "-1 a\n+1 b" }, undefined],
  ["bash", undefined, undefined],
] as const)("%s %j", (tool, details, outcome) => {
  expect(previewOutcome(tool, details)).toBe(outcome);
});
