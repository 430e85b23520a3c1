import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { InputSplitter } from "../../src/keys/input-splitter.ts";

const part = fc.oneof(
  fc.constantFrom("a", "é", "日", "🙂", "\r", "\u007f", "\u0003", "\u001b[A", "\u001b[1;5C", "\u001bOP", "\u001b[[B"),
  fc.constantFrom(
    "\u001b[97;5u",
    "\u001b[27;2;13~",
    "\u001b[3$",
    "\u001bb",
    "\u001b\r",
    "\u001b[?62;4c",
    "\u001b[6;18;9t",
  ),
  fc.constantFrom(
    "\u001b]11;rgb:0/0/0\u0007",
    "\u001b]11;rgb:0/0/0\u001b\\",
    "\u001bP1+r\u001b\\",
    "\u001b_Gi=1;OK\u001b\\",
  ),
  fc
    .array(fc.constantFrom("x", "\n", "\u001b[A", "\u001b[20", "日", "\u001b"), { maxLength: 8 })
    .map((text) => `\u001b[200~${text.join("")}\u001b[201~`),
);

describe("input", () => {
  test("keys, reports and pastes are the same however the reads are cut", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 10 }), (parts, cuts) => {
        const all = [...parts, "."].join("");
        // A read always ends between characters, which the stream's decoder ensures.
        const isInside = (at: number) => /[\ud800-\udbff]/.test(all[at - 1] ?? "");
        const places = cuts.map((cut) => cut % all.length).filter((at) => !isInside(at));
        const at = [0, ...places.sort((a, b) => a - b), all.length];
        const splitter = new InputSplitter();
        const found = at.slice(1).flatMap((end, index) => splitter.take(all.slice(at[index], end)));
        expect(found).toEqual([...parts, "."]);
        expect(splitter.isWaiting).toBe(false);
      }),
    );
  });

  test("an escape that nothing follows is the key, and two are two", () => {
    const splitter = new InputSplitter();
    expect(splitter.take("\u001b")).toEqual([]);
    expect(splitter.isWaiting).toBe(true);
    expect(splitter.flush()).toEqual(["\u001b"]);
    expect([...splitter.take("\u001b\u001b"), ...splitter.flush()]).toEqual(["\u001b", "\u001b"]);
    expect([...splitter.take("\u001b["), ...splitter.flush()]).toEqual(["\u001b["]);
  });

  test("a paste without an end waits, and is not taken for keys", () => {
    const splitter = new InputSplitter();
    expect(splitter.take("\u001b[200~one")).toEqual([]);
    expect(splitter.flush()).toEqual([]);
    expect(splitter.take("\r\u001b[201~x")).toEqual(["\u001b[200~one\r\u001b[201~", "x"]);
  });
});
