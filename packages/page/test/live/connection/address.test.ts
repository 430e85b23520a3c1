import { expect, test } from "bun:test";
import { placeHash, readPlace } from "../../../src/live/connection/address.ts";

test("a place in the address is read as it was written", () => {
  for (const place of [{}, { token: "a.b_c~d-e" }, { session: "/tmp/a b&c=d.jsonl", entry: "x%20\"'<" }])
    expect(readPlace(placeHash(place))).toEqual(place);
});

test("ignores foreign fragments", () => {
  expect(readPlace("#entry-abc")).toEqual({});
  expect(readPlace("#token=&session=")).toEqual({});
});
