import { expect, test } from "bun:test";
import { NotSavedError } from "../../../storage/src/session-error.ts";
import { endAnswer } from "../../src/commands/answer-once.ts";

async function ended(failure: Error | undefined, problem?: string) {
  const log: string[] = [];
  const session = {
    dispose: async () => {
      log.push("dispose");
      if (failure) throw failure;
    },
  };
  const output = {
    complain: (text: string) => log.push(text),
    close: async () => {
      log.push("close");
      return problem;
    },
  };
  const result = await endAnswer(session, output).catch((error: Error) => error.message);
  return { log, result };
}

test("the output is written completely, whatever the session throws", async () => {
  expect(await ended(undefined)).toEqual({ log: ["dispose", "close"], result: true });
  expect(await ended(new Error("broken"))).toEqual({ log: ["dispose", "close"], result: "broken" });
  expect(await ended(undefined, "the output could not be written")).toMatchObject({ result: false });
});

test("an answer that could not be stored is complete, with a warning", async () => {
  const { log, result } = await ended(new NotSavedError("the disk is full"));
  expect([log.length, log.at(-1), result]).toEqual([3, "close", true]);
});
