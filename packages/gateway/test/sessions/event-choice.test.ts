import { expect, test } from "bun:test";
import { EventChoice } from "../../src/sessions/event-choice.ts";

test("a host without events is asked questions and learns that its session or run is over", () => {
  const none = new EventChoice();
  none.prefer("none");
  const named = new EventChoice();
  named.choose(["message_end"]);
  const always = ["session_closed", "session_moved", "session_failed", "worker_exited", "run_interrupted"];
  for (const type of [...always, "prompt_result", "approval_request"]) {
    expect([type, none.isWanted(type), named.isWanted(type)]).toEqual([type, true, true]);
  }
  expect(["message_end", "turn_start"].map((type) => [none.isWanted(type), named.isWanted(type)])).toEqual([
    [false, true],
    [false, false],
  ]);
});
