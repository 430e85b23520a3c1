import { expect, test } from "bun:test";
import { Elicitations } from "../../../src/mcp/elicitation/elicitations.ts";
import { NO_DIALOGS } from "../../../src/tools/session-dialogs.ts";

test("limits the warnings about a server that keeps sending new unsupported requests", async () => {
  const warnings: string[] = [];
  const elicitations = new Elicitations({
    server: "web",
    dialogs: () => NO_DIALOGS,
    runSignal: () => undefined,
    inform: () => {},
    warn: (text) => warnings.push(text),
  });
  const { signal } = new AbortController();
  const actions = new Set<string>();
  for (let index = 0; index < 100; index += 1) {
    actions.add((await elicitations.answer({ mode: "url", url: `kind${index}://x` }, signal)).action);
  }
  expect([...actions]).toEqual(["decline"]);
  expect(warnings.length).toBe(10);
  expect(elicitations.isOpen).toBe(false);
});
