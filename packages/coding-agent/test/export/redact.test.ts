import { describe, expect, test } from "bun:test";
import { redactText, redactValue } from "../../src/export/redact.ts";

const letters = "aB3dE5gH7jK9mN1pQ4sT6vW8";

describe("known secrets", () => {
  const found: [string, string][] = [
    [`key sk-proj-${letters} end`, "key [redacted] end"],
    [`AIza${letters}${letters}`, "[redacted]"],
    [`ghp_${letters}`, "[redacted]"],
    [`github_pat_${letters}_${letters}`, "[redacted]"],
    [`xoxb-1234-${letters}`, "[redacted]"],
    ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
    [`eyJhbGciOiJIUzI1.${letters}.${letters}`, "[redacted]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nx", "[redacted]\nx"],
    ["postgres://ada:s3cret@db/x", "postgres://ada:[redacted]@db/x"],
    [`Authorization: Bearer ${letters}`, "Authorization: Bearer [redacted]"],
    [`xapp-1-${letters}`, "[redacted]"],
    [`GOCSPX-${letters}`, "[redacted]"],
    [`hvs.${letters}`, "[redacted]"],
    [`AccountKey=${letters}==;x`, "AccountKey=[redacted];x"],
    ["Set-Cookie: sid=abcdef; Path=/\nnext", "Set-Cookie: [redacted]\nnext"],
    [`API_KEY=${letters}`, "API_KEY=[redacted]"],
    [`{"password": "hunter2hunter2"}`, `{"password": "[redacted]"}`],
    [String.raw`{\"token\": \"${letters}\"}`, String.raw`{\"token\": \"[redacted]\"}`],
  ];
  test.each(found)("%s", (text, masked) => expect(redactText(text)).toBe(masked));

  test.each([
    "const token: string = next();",
    "password = process.env.PASSWORD1",
    "max_tokens: 4096000000",
    "skip-this-very-long-name-of-a-thing",
    "https://example.com/a:b@c",
    "cookies: 12",
    "primary key: id_of_the_table",
  ])("%s is left alone", (text) => expect(redactText(text)).toBe(text));

  test("values with a telling name go as a whole, pictures stay as they are", () => {
    const image = { type: "image", data: `AKIA${"A".repeat(16)}` };
    expect(redactValue({ apiKey: "short", list: [{ "x-api-key": "y" }], image, count: 1 })).toEqual({
      apiKey: "[redacted]",
      list: [{ "x-api-key": "[redacted]" }],
      image,
      count: 1,
    });
  });

  test("takes no longer than the text is long", () => {
    // With backtracking this would never end.
    for (const part of ["sk-", "eyJ", "a:", "token=", "-----BEGIN ", "://a:", "bearer "])
      expect(redactText(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});
