import { expect, test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { RpcPeer } from "../../src/rpc/rpc-peer.ts";

interface Sent {
  id?: unknown;
  method?: string;
  result?: unknown;
  error?: { code: number; message: string };
}

function peer() {
  const sent: Sent[] = [];
  const heard: string[] = [];
  const made: RpcPeer = new RpcPeer(
    {
      requests: {
        echo: (params) => params,
        later: async (params) => {
          await Promise.resolve();
          return params;
        },
        fail: () => {
          throw new Error("no");
        },
        ask: () => made.request("question", {}),
      },
      notifications: {
        tell: () => void heard.push("tell"),
        "$/cancel_request": ({ requestId }) => made.cancel(requestId),
      },
    },
    (json) => sent.push(JSON.parse(json) as Sent),
  );
  return { made, sent, heard };
}

const id = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 3 }),
  fc.constant(null),
  fc.object(),
  fc.boolean(),
  fc.double(),
);
const method = fc.oneof(
  fc.constantFrom("echo", "later", "fail", "nothing", "tell", "$/cancel_request", "__proto__", "constructor"),
  fc.jsonValue(),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id,
    method,
    params: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const line = fc.oneof(
  { weight: 5, arbitrary: message.map((value) => JSON.stringify(value)) },
  fc.json(),
  fc.string(),
  fc.constantFrom(
    "",
    "   ",
    "[]",
    "{",
    "null",
    `${"[".repeat(5_000)}`,
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":${"[".repeat(300)}${"]".repeat(300)}}`,
  ),
);

test("no input throws, and each request with a unique id is answered once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
      const { made, sent } = peer();
      const asked = new Map<unknown, number>();
      for (const text of lines) {
        made.receive(text);
        await Promise.resolve();
        const parsed = readRequest(text);
        if (parsed !== undefined) asked.set(parsed, (asked.get(parsed) ?? 0) + 1);
      }
      for (let round = 0; round < 10; round += 1) await Promise.resolve();
      for (const answer of sent) {
        expect(answer).toMatchObject({ jsonrpc: "2.0" });
        expect("result" in answer !== "error" in answer).toBe(true);
      }
      for (const [key, count] of asked) expect(sent.filter((answer) => answer.id === key).length).toBe(count);
    }),
    propertyRuns({ numRuns: 500, seed: 26 }),
  );
});

/** The id of a line that is a request. Unreadable lines are answered with the id null as well. */
function readRequest(text: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { jsonrpc, id: given, method: name } = value as Record<string, unknown>;
    const isId = typeof given === "string" || Number.isFinite(given);
    return jsonrpc === "2.0" && isId && typeof name === "string" ? (given as string | number) : undefined;
  } catch {
    return undefined;
  }
}

test("our request is cancelled by its signal, fails if the other side is gone, and settles once", async () => {
  const { made, sent } = peer();
  const controller = new AbortController();
  const withdrawn = made.request("question", {}, controller.signal);
  controller.abort();
  expect(sent.at(-1)).toMatchObject({ method: "$/cancel_request", params: { requestId: 1 } });
  await expect(withdrawn).rejects.toMatchObject({ code: -32800 });
  made.receive('{"jsonrpc":"2.0","id":1,"result":{}}'); // too late, so it is dropped
  const answered = made.request("question", {});
  made.receive('{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"not here"}}');
  await expect(answered).rejects.toMatchObject({ code: -32002, message: "not here" });
  const odd = made.request("question", {});
  made.receive('{"jsonrpc":"2.0","id":3,"error":7}');
  await expect(odd).rejects.toMatchObject({ code: -32603 });
  const lost = made.request("question", {});
  made.inputEnded();
  await expect(lost).rejects.toMatchObject({ code: -32603 });
  await expect(made.request("question", {})).rejects.toMatchObject({ code: -32603 });
});
