import { commands } from "@pintle/wire";
import type { Random } from "./random.ts";
import { anyText } from "./texts.ts";

const PROTOTYPE_NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
const NAMES = Object.keys(commands);
const OTHER_VALUES = [null, true, 0, -1, 1.5, 1e308, "", "text", [], {}, [[]], { type: "prompt" }];

const quoted = (value: unknown) => JSON.stringify(value);
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/** Lines that no host should send. `expectedAnswer` returns the required response to each. */
const LINES: ((random: Random) => string)[] = [
  () => "",
  (random) => random.pick([" ", "\t  ", "\r", "  \r"]),
  (random) => random.pick(["not json", "{", "}", '{"type":', '{"type":"get_state"', '{"type":"get_state"}}', "'x'"]),
  (random) => random.pick(["3", "null", "[]", "true", '"text"', '[{"type":"get_state"}]', "-0"]),
  (random) => quoted({ id: anyText(random), message: "no type" }),
  (random) => quoted({ id: 7, type: random.pick(OTHER_VALUES) }),
  (random) => quoted({ id: "u", type: `${random.pick(NAMES)}${random.pick([" ", "x", "\u0000", "S"])}` }),
  (random) => quoted({ id: anyText(random), type: random.pick(PROTOTYPE_NAMES) }),
  (random) => `{"type":"${random.pick(NAMES)}","__proto__":{"id":"inherited"},"message":7}`,
  (random) => quoted({ type: anyText(random), id: random.pick(OTHER_VALUES) }),
  (random) => `{"type":"\\ud800${anyText(random).length}","id":"\\udfff"}`,
  (random) => `{"type":"get_pending","id":"deep","x":${nested(10 + random.int(3_000), "[", "]")}}`,
  (random) => nested(10 + random.int(3_000), '{"type":', "}"),
  (random) => `{"type":"get_pending","id":${random.pick(["1e400", "-0", "0.5", "9007199254740993", "[]", "{}"])}}`,
  () => '{"type":"get_pending","type":"get_state"}',
  (random) => `${quoted({ type: "get_pending", id: anyText(random) })} trailing`,
  (random) => `\u0000${quoted({ type: "get_pending" })}${random.chance(0.5) ? "\u0000" : ""}`,
  (random) => `{"type":"steer","message":"raw\u0001control${random.int(9)}"}`,
  (random) => "x".repeat(1 + random.int(200_000)),
  (random) => `{"type":"get_pending","pad":"${"漢".repeat(1 + random.int(100_000))}"}`,
  (random) => `${quoted({ type: random.pick(NAMES.filter((name) => name.startsWith("get_"))) })}\r`,
];

export function illegalLine(random: Random): Uint8Array {
  const bytes = new TextEncoder().encode(random.pick(LINES)(random));
  return random.chance(0.1) ? withBrokenBytes(bytes, random) : bytes;
}

/** A known command with fields of other types. */
export function wrongFields(legal: Record<string, unknown>, random: Random): Record<string, unknown> {
  const names = Object.keys(legal).filter((name) => name !== "type");
  const name = random.pick(names) ?? random.pick(["message", "mode", "level", "tools"]);
  return { ...legal, [name]: random.pick(OTHER_VALUES), ...(random.chance(0.2) && { unknown: OTHER_VALUES }) };
}

/** Corrupts every byte, but keeps the line a single line. */
function withBrokenBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const broken = bytes.slice();
  for (let count = 1 + random.int(3); count > 0 && broken.length > 0; count -= 1)
    broken[random.int(broken.length)] = random.pick([0xff, 0xc0, 0x80, 0xed, 0xf8]);
  return broken;
}
