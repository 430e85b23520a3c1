import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { MessageLines, MessageTooLong } from "../../../src/mcp/connection/message-lines.ts";

describe("MessageLines", () => {
  test("returns the same lines however the input is split", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/[\r\n]/g, ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat({ max: 40 })), (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(""));
        const splitter = new MessageLines();
        const found: string[] = [];
        let at = 0;
        for (const size of [...cuts, bytes.length]) {
          found.push(...splitter.push(bytes.subarray(at, at + size)));
          at += size;
        }
        expect(found).toEqual(lines.map((text) => new TextDecoder().decode(new TextEncoder().encode(text))));
      }),
    );
  });

  test("accepts CRLF", () => {
    expect(new MessageLines().push(Buffer.from("a\r\nb\n"))).toEqual(["a", "b"]);
  });

  test("limits each line, not the total", () => {
    const splitter = new MessageLines(10);
    expect(splitter.push(Buffer.from("123456789\n".repeat(5)))).toHaveLength(5);
    splitter.push(Buffer.from("1234567890"));
    expect(() => splitter.push(Buffer.from("1"))).toThrow(MessageTooLong);
  });
});
