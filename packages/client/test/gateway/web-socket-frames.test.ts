import { expect, test } from "bun:test";
import { encodeFrame, FrameDecoder, OPCODE, type WebSocketFrame } from "../../src/gateway/web-socket-frames.ts";

/** Encodes a frame as a server does, without a mask. */
function unmasked(opcode: number, payload: Buffer, isLast = true): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

test.each([1, 2, 7, 4096, 1_000_000])("frames of all lengths in pieces of %d bytes", (size) => {
  const payloads = [0, 1, 125, 126, 65_535, 65_536, 70_000].map((length) => Buffer.alloc(length, "ä"));
  const bytes = Buffer.concat(payloads.map((payload) => unmasked(OPCODE.text, payload)));
  const decoder = new FrameDecoder();
  const frames: WebSocketFrame[] = [];
  // Feeding a large frame byte by byte would only cost time.
  const step = size < 100 ? Math.max(size, 997 * size) : size;
  for (let at = 0; at < bytes.length; at += at < 200 ? size : step) {
    const end = at + (at < 200 ? size : step);
    frames.push(...decoder.push(bytes.subarray(at, end)));
  }
  expect(
    frames.map(({ payload }) => payload.equals(payloads[frames.findIndex((frame) => frame.payload === payload)]!)),
  ).toEqual(payloads.map(() => true));
});

test("masks what a client sends, and unmasking restores the text", () => {
  const frame = encodeFrame(OPCODE.text, Buffer.from("hello"));
  expect([frame[0], frame[1]]).toEqual([0x81, 0x80 | 5]);
  const mask = frame.subarray(2, 6);
  expect(Buffer.from(frame.subarray(6).map((byte, index) => byte ^ mask[index & 3]!)).toString()).toBe("hello");
});

test.each([
  [[0xc1, 0x00], "extension"],
  [[0x81, 0x80, 0, 0, 0, 0], "masked"],
  [[0x81, 127, 0xff, 0, 0, 0, 0, 0, 0, 0], "too long"],
])("bytes that no server may send are refused: %j", (bytes, reason) => {
  expect(() => [...new FrameDecoder().push(Buffer.from(bytes))]).toThrow(reason);
});
