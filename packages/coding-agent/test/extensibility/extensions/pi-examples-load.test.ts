import { expect, test } from "bun:test";
import { startExtensions } from "../../support/extensibility/extensions/harness.ts";
import {
  example,
  exampleNames,
  hasExamples,
  processPlace,
} from "../../support/extensibility/extensions/pi-examples.ts";
import { recordingUi } from "../../support/extensibility/extensions/recording-ui.ts";
import { where } from "../../support/where.ts";

/** They import packages that the published package does not include. */
const NEED_PACKAGES = ["with-deps", "sandbox", "custom-provider-anthropic", "gondolin"];

where(hasExamples, "needs pi's examples from the npm registry").describe("pi's example extensions", () => {
  test.each(exampleNames().filter((name) => !NEED_PACKAGES.includes(name)))(
    "%s loads and its session starts",
    async (name) => {
      using place = processPlace();
      await using harness = await startExtensions([], { place, files: [example(name)], ui: recordingUi() });
      expect(harness.host.faults.filter(({ event }) => event === "load" || event === "registerTool")).toEqual([]);
      expect(harness.runner.faults).toEqual([]);
    },
  );
});
