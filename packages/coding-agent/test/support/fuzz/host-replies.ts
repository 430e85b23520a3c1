import type { Frame } from "../scenarios/rpc-child.ts";
import type { Random } from "./random.ts";
import { anyText } from "./texts.ts";

type Reply = (id: string, random: Random) => object[];

const text = (random: Random) => [{ type: "text", text: anyText(random) }];
const result = (id: string, content: unknown, more: object = {}) => ({
  type: "host_tool_result",
  id,
  result: { content },
  ...more,
});
const update = (id: string, partialResult: unknown) => ({ type: "host_tool_update", id, partialResult });

const TOOL_REPLIES: Reply[] = [
  (id, random) => [result(id, text(random))],
  (id, random) => [update(id, { content: text(random) }), result(id, text(random), { isError: false })],
  (id, random) => [result(id, text(random)), result(id, text(random)), update(id, { content: [] })],
  (id, random) => [result(id, text(random), { isError: true })],
  (id) => [result(id, [], { isError: true })],
  (id) => [result(id, "no array")],
  (id) => [{ type: "host_tool_result", id }],
  (id) => [update(id, 7), update(id, { content: "no array" }), result(id, [{ type: "nonsense" }, null, 7])],
  (id) => [result(id, [{ type: "image", data: "AAAA", mimeType: "image/png" }], { details: { a: [1] } })],
  (id) => [result(`${id}0`, [])],
  () => [],
];

const dialog = (id: unknown, fields: object) => ({ type: "extension_ui_response", id, ...fields });
const DIALOG_REPLIES: Reply[] = [
  (id) => [dialog(id, { value: "a" })],
  (id) => [dialog(id, { value: "not among them" }), dialog(id, { value: "b" })],
  (id) => [dialog(id, { confirmed: true })],
  (id) => [dialog(id, { cancelled: true, timedOut: true })],
  (id) => [dialog(id, { value: 7 }), dialog({ id }, {})],
  () => [],
];

const REPLIES: Record<string, Reply[]> = { host_tool_call: TOOL_REPLIES, extension_ui_request: DIALOG_REPLIES };

/** Returns this host's answer to a question, often none. */
export function repliesTo(frame: Frame, random: Random): object[] {
  const replies = REPLIES[frame.type];
  return replies ? random.pick(replies)(frame.id, random) : [];
}

/** Returns an answer to a question that was never asked or ended long ago. */
export function strayReply(random: Random): object {
  const id = random.pick<unknown>([`host_${random.int(20)}`, "ui_1", "__proto__", 7, null, undefined]);
  const type = random.pick(["extension_ui_response", "host_tool_result", "host_tool_update", "trust_response"]);
  return { type, id, value: "v", trusted: true, result: { content: [] }, partialResult: { content: [] } };
}
