import { describe, expect, test } from "bun:test";
import { parseStoreUrl, shownStore } from "../../../src/cluster/database/store-url.ts";
import { ServeError } from "../../../src/serve-error.ts";

describe("the address of a database, for people", () => {
  test.each([
    ["postgres://u:secret@h:5432/db", "postgres://h:5432/db"],
    ["postgres://u:se%40cret@h/db", "postgres://h/db"],
    ["postgres://u:secret@[::1]:5432/db", "postgres://[::1]:5432/db"],
    ["postgres://h/db?user=u&password=secret", "postgres://h/db"],
    ["postgres://u:secret@/db?host=/run/postgresql", "postgres://localhost/db"],
  ])("%s", (text, shown) => {
    expect(shownStore(text)).toBe(shown);
    expect(parseStoreUrl(text).url).toContain("/db");
  });

  // An URL ends its host at the first of / ? #: what stands behind it in a password would be taken for a path.
  test.each([
    "postgres:u:secret@h/db",
    "postgres:/u:secret@h/db",
    "postgres://u:12/secret@h/db",
    "postgres://u:/secret@h/db",
    "postgres://u:12#secret@h/db",
    "postgres://u:se%ZZcret@h/db",
    "postgres://u:se/cret@h/db",
  ])("%s is none, and is not repeated", (text) => {
    expect(() => parseStoreUrl(text)).toThrow(ServeError);
    expect(() => parseStoreUrl(text)).not.toThrow(/cret/);
    expect(shownStore(text)).not.toContain("cret");
  });

  test("a user's name may hold an @ behind the ?", () => {
    expect(parseStoreUrl("postgres://h/db?user=me@server").url).toBe("postgres://h/db?user=me@server");
  });
});
