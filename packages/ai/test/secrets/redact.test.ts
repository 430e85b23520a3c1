import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createRedactor } from "../../src/secrets/redact.ts";
import { SECRET_FORMS } from "../../src/secrets/secret-forms.ts";

const letters = "aB3dE5gH7jK9mN1pQ4sT6vW8";

const { text: redactText, value: redactValue } = createRedactor();

describe("secrets in a known format", () => {
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
    ["redis://:s3cret@cache:6379", "redis://:[redacted]@cache:6379"],
    ["Authorization: token 0123456789abcdef", "Authorization: token [redacted]"],
    ["machine a.example login me password s3cret", "machine a.example login me password [redacted]"],
    ["curl -u admin:s3cret99 https://a.example", "curl -u admin:[redacted] https://a.example"],
    ["curl --user='admin:s3cret99'", "curl --user='admin:[redacted]'"],
    [`https://a.example/x?sv=1&sig=${letters}%3D`, "https://a.example/x?sv=1&sig=[redacted]"],
    ["SECRET_KEY='django-insecure-1x2y'", "SECRET_KEY='[redacted]'"],
    ["SMTP_PASS=corr3ct-horse", "SMTP_PASS=[redacted]"],
    ["Server=a;Pwd=corr3ct-horse;x", "Server=a;Pwd=[redacted];x"],
    ["//registry/:_auth=YWRtaW46cGFz", "//registry/:_auth=[redacted]"],
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
    "PWD=/home/ada/project-2024",
    "docker run -u 1000:1000000 image",
    "user: login as ada, password next",
    "authorization: the header 'Authorization' is missing",
    "http://localhost:8080/?sig=1&a=b",
    "git log --author=ada:2024-10-10",
  ])("%s is left alone", (text) => expect(redactText(text)).toBe(text));

  test("removes values under a telling name as a whole and leaves images unchanged", () => {
    const image = { type: "image", data: `AKIA${"A".repeat(60)}` };
    expect(redactValue({ apiKey: "short", list: [{ "x-api-key": "y" }], image, count: 1 })).toEqual({
      apiKey: "[redacted]",
      list: [{ "x-api-key": "[redacted]" }],
      image,
      count: 1,
    });
  });

  test("takes linear time", () => {
    // With backtracking this would never end.
    for (const part of [
      "sk-",
      "eyJ",
      "a:",
      "token=",
      "-----BEGIN ",
      "://a:",
      "bearer ",
      "authorization: a ",
      " -u a:",
      "login a ",
    ])
      expect(redactText(part.repeat(200_000)).length).toBeGreaterThan(0);
  });
});

describe("values under a telling name", () => {
  test.each<[unknown, unknown]>([
    [{ password: ["a", ["b"]] }, { password: ["[redacted]", ["[redacted]"]] }],
    [
      { headers: [{ name: "Authorization", value: "abc" }] },
      { headers: [{ name: "Authorization", value: "[redacted]" }] },
    ],
    [
      { name: "colour", value: "red" },
      { name: "colour", value: "red" },
    ],
    [
      { "Proxy-Authorization": "abc", secret: "" },
      { "Proxy-Authorization": "[redacted]", secret: "" },
    ],
    [
      { type: "image", data: `ghp_${letters}` },
      { type: "image", data: "[redacted]" },
    ],
    [
      { type: "image", data: "A".repeat(80), note: `ghp_${letters}` },
      { type: "image", data: "A".repeat(80), note: "[redacted]" },
    ],
  ])("%j", (value, masked) => expect(redactValue(value)).toEqual(masked));

  test("are masked at any depth", () => {
    let deep: unknown = `ghp_${letters}`;
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect(JSON.stringify(redactValue(deep))).not.toContain("ghp_");
  });
});

describe("known secrets", () => {
  const secret = 'pass "word" of/mine+';
  const { text, value } = createRedactor([secret, "Bearer of-a-token", "assistant", "short"]);

  test.each([
    ["plain", secret],
    ["in an address", encodeURIComponent(secret)],
    ["in JSON", JSON.stringify(secret).slice(1, -1)],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ["in base64", Buffer.from(secret).toString("base64")],
    ["in base64 for addresses", Buffer.from(secret).toString("base64url")],
    ["behind a scheme", "of-a-token"],
  ])("are found %s", (_how, spelled) => expect(text(`a ${spelled} b`)).toBe("a [redacted] b"));

  test("are found in names and at any depth", () => {
    expect(value({ a: [{ [secret]: { b: secret } }] })).toEqual({ a: [{ "[redacted]": { b: "[redacted]" } }] });
  });

  test("words of the session format and short words are not secrets", () => {
    expect(value({ role: "assistant", text: "short" })).toEqual({ role: "assistant", text: "short" });
  });

  test("leaves no secret, whatever its characters, and keeps the rest", () => {
    const secrets = fc.array(
      fc.string({ unit: "binary", minLength: 8, maxLength: 40 }).map((one) => `${one}~1`),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(secrets, (all) => {
        const spelled = all.map((one) => one.trim()).filter((one) => one.length >= 8);
        const masked = createRedactor(all).value({ list: all, count: 1, texts: all.map((one) => `<${one}>`) });
        const shown = JSON.stringify(masked);
        for (const one of spelled)
          if (!"[redacted]".includes(one)) expect(shown).not.toContain(JSON.stringify(one).slice(1, -1));
        expect(JSON.parse(shown)).toMatchObject({ count: 1 });
      }),
    );
  });

  test("replaces the longest of several first", () => {
    expect(createRedactor(["abcdefgh", "abcdefghijkl"]).text("abcdefghijkl abcdefgh")).toBe("[redacted] [redacted]");
  });
});

describe("skipping searches changes nothing", () => {
  const MASK = "[redacted]";
  /** Applies every form, in order, to every string. */
  const search = (text: string) =>
    SECRET_FORMS.reduce(
      (masked, { pattern, isSecret }) =>
        masked.replace(pattern, (whole: string, kept?: unknown, value?: unknown) => {
          if (typeof kept !== "string") return MASK;
          return isSecret?.(String(value)) === false ? whole : `${kept}${MASK}`;
        }),
      text,
    );
  const part = fc.oneof(
    fc.constantFrom(":", "=", "://", "@", " -u ", " --user=", "login ", " password ", "Bearer ", "Authorization: "),
    fc.constantFrom(
      "?sig=",
      "&signature=",
      "set-cookie: ",
      "COOKIE:",
      "api_key",
      "token",
      "passwd",
      "github",
      "twilio",
    ),
    fc.constantFrom("sk-", "ghp_", "AKIA", "eyJ", "-----BEGIN PRIVATE KEY-----", " ", "\n", '"', "'", "\\"),
    fc.string({ maxLength: 4 }),
    fc.stringMatching(/^[A-Za-z0-9]{8,24}$/),
  );
  const text = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(""));
  const runs = { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 2_000), seed: 46 };

  test("for strings", () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(redactText(one)).toBe(search(one));
      }),
      runs,
    );
  });

  test("for values whose strings repeat", () => {
    const { value } = createRedactor();
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
        const masked = texts.map(search);
        expect(value([texts, texts])).toEqual([masked, masked]);
      }),
      runs,
    );
  });
});
