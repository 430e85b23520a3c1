import { describe, expect, test } from "bun:test";
import { ServeError } from "../../../gateway/src/serve-error.ts";
import { parseStoreUrl, shownStore } from "../../src/database/store-url.ts";

describe("the address of a database, for people", () => {
  test.each([
    ["postgres://u:secret@h:5432/db", "postgres://h:5432/db"],
    ["postgres://u:se%40cret@h/db", "postgres://h/db"],
    ["postgres://u:secret@[::1]:5432/db", "postgres://[::1]:5432/db"],
    ["postgres://h/db?user=u&password=secret", "postgres://h/db"],
    ["postgres://u:secret@/db?host=/run/postgresql", "postgres://localhost/db"],
  ])("%s", (text, shown) => {
    expect(shownStore(text)).toBe(shown);
    expect(parseStoreUrl(text).targets[0]?.url).toContain("/db");
  });

  // A URL ends its host at the first / ? or #, so the rest of a password would be read as a path.
  test.each([
    "postgres:u:secret@h/db",
    "postgres:/u:secret@h/db",
    "postgres://u:12/secret@h/db",
    "postgres://u:/secret@h/db",
    "postgres://u:12#secret@h/db",
    "postgres://u:se%ZZcret@h/db",
    "postgres://u:se/cret@h/db",
  ])("%s is invalid, and is not repeated in the error", (text) => {
    expect(() => parseStoreUrl(text)).toThrow(ServeError);
    expect(() => parseStoreUrl(text)).not.toThrow(/cret/);
    expect(shownStore(text)).not.toContain("cret");
  });

  test("the query may contain an @ in a user name", () => {
    expect(parseStoreUrl("postgres://h/db?user=me@server").targets).toEqual([
      { url: "postgres://h/db?user=me@server", host: "h" },
    ]);
  });
});

describe("an address with several hosts", () => {
  test("has one target per host, and needs a writable one", () => {
    const { targets, needsWritable } = parseStoreUrl("postgres://u:p%2Cw@a:1,b,[::1]:3/db?sslmode=require");
    expect(targets).toEqual([
      { url: "postgres://u:p%2Cw@a:1/db?sslmode=require", host: "a" },
      { url: "postgres://u:p%2Cw@b/db?sslmode=require", host: "b" },
      { url: "postgres://u:p%2Cw@[::1]:3/db?sslmode=require", host: "::1" },
    ]);
    expect(needsWritable).toBe(true);
    expect(shownStore("postgres://u:secret@a:1,b/db")).toBe("postgres://a:1,b/db");
  });

  test.each([
    ["postgres://a/db", false],
    ["postgres://a/db?target_session_attrs=any", false],
    ["postgres://a/db?target_session_attrs=read-write", true],
    ["postgres://a/db?target_session_attrs=primary", true],
    ["postgres://a,b/db?target_session_attrs=any", false],
  ])("%s", (text, needsWritable) => {
    const address = parseStoreUrl(text);
    expect(address.needsWritable).toBe(needsWritable);
    expect(address.targets[0]?.url).toBe("postgres://a/db");
  });

  test.each(["standby", "read-only", "prefer-standby", ""])("target_session_attrs=%s is refused", (attrs) => {
    expect(() => parseStoreUrl(`postgres://a/db?target_session_attrs=${attrs}`)).toThrow(/nodes write/);
  });
});
