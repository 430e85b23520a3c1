import { describe, expect, test } from "bun:test";
import { rawExchange } from "../support/scenarios/raw-exchange.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

const OFFLINE = ["--model", "pintle/offline", "--no-session"];

/** The frames after `ready`. */
async function answersTo(input: string | Uint8Array) {
  using place = machine();
  const { code, frames, stdout } = await rawExchange(OFFLINE, place, input);
  expect({ code, first: frames[0]?.type }).toEqual({ code: 0, first: "ready" });
  expect(stdout).not.toMatch(/[\r\u2028\u2029]|\n\n/);
  return frames.slice(1).filter(({ source }) => source !== "host"); // notices about the mistakes in the lines
}

const parse = (reason: string, more: object = {}) => ({
  type: "response",
  command: "parse",
  success: false,
  error: `Failed to parse command: ${reason}`,
  ...more,
});
const unknown = (command: string, more: object = {}) => ({
  type: "response",
  command,
  success: false,
  error: `Unknown command: ${command}`,
  ...more,
});
const empty = (more: object = {}) => ({
  ...more,
  type: "response",
  command: "get_pending",
  success: true,
  data: { pending: [] },
});

describe("an invalid line", () => {
  test.each(["not json", "{", '{"type":"get_pending"', '{"type":"get_pending"} x', "\u0000", "\ufffd"])(
    "%j is answered with command parse, without id",
    async (line) => {
      expect(await answersTo(`${line}\n{"type":"get_pending","id":"next"}\n`)).toEqual([
        { ...parse(""), error: expect.stringMatching(/^Failed to parse command: ./) },
        empty({ id: "next" }),
      ]);
    },
  );

  test("is rejected with one of two reasons if it is JSON", async () => {
    const lines = ["3", "null", "[]", '"text"', "true", "{}", '{"id":"i"}', '{"type":7,"id":8}', '{"type":null}'];
    expect(await answersTo(lines.join("\n"))).toEqual([
      ...lines.slice(0, 5).map(() => parse("expected a JSON object")),
      parse('missing "type"'),
      parse('missing "type"', { requestId: "i" }),
      parse('missing "type"', { requestId: 8 }),
      parse('missing "type"'),
    ]);
  });

  test("is answered with its unknown type, and never with an id", async () => {
    const names = ["nonsense", "", "Prompt", "get_state ", "__proto__", "constructor", "toString", "hasOwnProperty"];
    const lines = names.map((type) => JSON.stringify({ id: `of ${type}`, type }));
    expect(await answersTo(`${lines.join("\n")}\n{"type":"x"}\n{"type":"\\ud800","id":"\\udfff"}\n`)).toEqual([
      ...names.map((type) => unknown(type, { requestId: `of ${type}` })),
      unknown("x"),
      unknown("\ud800", { requestId: "\udfff" }),
    ]);
  });

  test("is ignored if it answers no question", async () => {
    const types = ["extension_ui_response", "host_tool_result", "host_tool_update", "trust_response"];
    const ids = ["none", 7, null, undefined, {}, "__proto__"];
    const lines = types.flatMap((type) => ids.map((id) => JSON.stringify({ type, id, value: "v", trusted: true })));
    expect(await answersTo(`${lines.join("\n")}\n{"type":"get_pending"}\n`)).toEqual([empty()]);
  });
});

describe("framing", () => {
  test("only LF ends a line; CR before it, blank lines and a byte order mark are dropped", async () => {
    const input =
      '\ufeff{"type":"get_pending","id":1}\r\n\n \t\r\n\r\n{"type":"get_pending",\r"id":"a\u2028\u0085b"}\n';
    expect(await answersTo(input)).toEqual([empty({ id: 1 }), empty({ id: "a\u2028\u0085b" })]);
  });

  test("a later byte order mark is not JSON", async () => {
    expect(await answersTo('{"type":"get_pending"}\n\ufeff{"type":"get_pending"}\n')).toMatchObject([
      empty(),
      { command: "parse", success: false },
    ]);
  });

  test("bytes that are not UTF-8 become U+FFFD", async () => {
    const line = Buffer.concat([
      Buffer.from('{"type":"get_pending","id":"a'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}\n'),
    ]);
    expect(await answersTo(line)).toEqual([empty({ id: "a\ufffd\ufffd" })]);
  });

  test("a last line without LF is accepted, and an incomplete line is answered with command parse", async () => {
    expect(await answersTo('{"type":"get_pending","id":"last"}')).toEqual([empty({ id: "last" })]);
    expect(await answersTo('{"type":"get_pending"}\n{"type":"get_pe')).toMatchObject([empty(), { command: "parse" }]);
  });

  test("ids are returned as received: strings and finite numbers, including duplicates", async () => {
    const ids = ['"a"', '"a"', '""', "0", "-1.5", "1e300", "1e400", "null", "true", "[]", '{"a":1}'];
    const answers = await answersTo(ids.map((id) => `{"id":${id},"type":"get_pending"}`).join("\n"));
    expect(answers.map((answer) => ("id" in answer ? answer.id : "none"))).toEqual([
      "a",
      "a",
      "",
      0,
      -1.5,
      1e300,
      ...Array(5).fill("none"),
    ]);
    expect(answers.slice(6).map(({ requestId }) => requestId)).toEqual(["null", undefined, "true", "[]", '{"a":1}']);
  });

  test("unknown fields are ignored, at any allowed depth, and null means unset", async () => {
    const deep = `${"[".repeat(199)}${"]".repeat(199)}`;
    const lines = [`{"type":"get_pending","x":${deep}}`, '{"type":"get_messages_page","cursor":null,"limit":null}'];
    const answers = await answersTo(lines.join("\n"));
    expect(answers.map(({ success }) => success)).toEqual([true, true]);
  });

  test("a frame nested one level deeper is rejected", async () => {
    const [answer] = await answersTo(`{"id":1,"type":"get_pending","x":${"[".repeat(200)}${"]".repeat(200)}}`);
    expect(answer).toMatchObject({ command: "parse", success: false, requestId: 1 });
  });

  test("a line of 64 MiB is read, and so is the next one", async () => {
    const pad = Buffer.alloc(64 * 1024 * 1024, "x");
    const input = Buffer.concat([
      Buffer.from('{"type":"get_pending","pad":"'),
      pad,
      Buffer.from('"}\n{"type":"get_pending"}\n'),
    ]);
    expect(await answersTo(input)).toEqual([empty(), empty()]);
  });
});

test("frames that arrive before the session exists are answered after ready, in order", async () => {
  const ids = Array.from({ length: 500 }, (_, index) => index);
  const answers = await answersTo(ids.map((id) => `{"id":${id},"type":"set_steering_mode","mode":"all"}\n`).join(""));
  expect(answers.map(({ id }) => id)).toEqual(ids);
});

test("commands without id are answered without id", async () => {
  const lines = ["get_state", "abort", "steer", "bash", "nonsense"].map((type) => JSON.stringify({ type }));
  const answers = await answersTo(lines.join("\n"));
  expect(answers.map(({ command, success }) => `${command} ${success}`).sort()).toEqual([
    "abort true",
    "bash false",
    "get_state true",
    "nonsense false",
    "steer false",
  ]);
  expect(answers.some((answer) => "id" in answer || "requestId" in answer)).toBe(false);
});
