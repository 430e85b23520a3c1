import { expect, test } from "bun:test";
import { createTheme } from "../../src/screen/theme.ts";
import { Activity } from "../../src/status/activity.ts";

test("the activity names what is done, for how long, and how much was written", () => {
  const clock = { now: 0 };
  const activity = new Activity(() => clock.now);
  const theme = createTheme({ NO_COLOR: "1" });
  const shown = (isAsking = false) =>
    activity
      .line(120, theme, { isAsking, stopKey: "escape", backgroundKey: "ctrl+b" })
      .map((line) => Bun.stripANSI(line).slice(2));
  expect(shown()).toEqual([]);
  activity.start();
  clock.now = 2_000;
  expect(shown()).toEqual(["waiting for the model · 2.0s · escape stops"]);
  activity.does("writing");
  activity.wrote(400);
  expect(shown()).toEqual(["writing · 2.0s · 100 tokens · escape stops"]);
  activity.counted(2_345);
  activity.toolStarted("a", "bash");
  activity.toolStarted("b", "read");
  expect(shown()).toEqual(["running bash and 1 more · 2.0s · 2.3k tokens · escape stops · ctrl+b to background"]);
  expect(shown(true)).toEqual(["waiting for you · 2.0s · 2.3k tokens · escape stops · ctrl+b to background"]);
  activity.toolEnded("a");
  activity.toolEnded("b");
  activity.retries(3_000);
  clock.now = 3_500;
  expect(shown()).toEqual(["trying again in 2 s · 3.5s · 2.3k tokens · escape stops"]);
  activity.stop();
  expect(shown()).toEqual([]);
});
