import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createMask } from "../../../src/replay/masking/mask.ts";
import { requestPlaces, restorePlaces, streamPlaces } from "../../../src/replay/matching/places.ts";
import { freshDirectory } from "../../support/replay/exchanges.ts";

const noPlaces = new Map();
const places = { cwd: "/srv/project", home: "/home/me/.pintle" };
const plain = createMask({ secrets: [], places: noPlaces });

describe("secrets", () => {
  const secret = fc.string({ unit: "grapheme", minLength: 8, maxLength: 40 }).filter((text) => text.trim().length >= 8);

  test("masks a known secret in every spelling", () => {
    fc.assert(
      fc.property(secret, fc.string(), (key, around) => {
        fc.pre(!around.includes(key) && !"<secret>".includes(key.trim()));
        const mask = createMask({ secrets: [`Bearer ${key}`], places: noPlaces });
        const inJson = JSON.stringify({ a: JSON.stringify({ b: key }) });
        const base64 = Buffer.from(key.trim()).toString("base64");
        for (const text of [key, inJson, encodeURIComponent(key.trim().toWellFormed()), base64]) {
          const masked = mask.text(around + text + around);
          expect(masked).toContain("<secret>");
          expect(masked).not.toContain(key.trim());
        }
      }),
    );
  });

  test("masks a secret that arrives in pieces, and keeps the number of pieces", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.array(fc.nat(60), { maxLength: 8 }), (key, borders) => {
        const text = `the key is ${key}, keep it`;
        const cuts = [0, ...borders.map((at) => Math.min(at, text.length)).sort((a, b) => a - b), text.length];
        const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
        const masked = createMask({ secrets: [key], places: noPlaces }).pieces(pieces);
        expect(masked).toHaveLength(pieces.length);
        expect(masked.join("")).toBe("the key is <secret>, keep it");
      }),
    );
  });

  test("masks the longer of two secrets first, and ignores short words", () => {
    const mask = createMask({ secrets: ["abcdefgh", "abcdefgh-ijkl", "ollama", undefined, ""], places: noPlaces });
    expect(mask.text("abcdefgh-ijkl abcdefgh ollama")).toBe("<secret> <secret> ollama");
  });

  test.each([
    "sk-ant-api03-AbCdEfGhIjKlMnOpQrSt0123",
    "sk-proj-0123456789abcdefABCDEF",
    `AIza${"x1".repeat(18)}`,
    `ghp_${"a1".repeat(18)}`,
    `xai-${"a1".repeat(18)}`,
    `gsk_${"a1".repeat(18)}`,
    `hf_${"a1".repeat(18)}`,
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
  ])("recognizes %s by its format", (key) => {
    expect(plain.text(`before ${key} after`)).toBe("before <secret> after");
  });

  test("masks the value of a header in text and keeps its name", () => {
    expect(plain.text("Authorization: Bearer abcdefghij0123456789xyz!")).toBe("Authorization: Bearer <secret>!");
    expect(plain.text('{"x-api-key": "abcdefghij0123456789xyz"}')).toBe('{"x-api-key": "<secret>"}');
  });

  test("leaves code about keys unchanged", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the code
    const code = "headers: { authorization: `Bearer ${token}` }, class='sk-loading-spinner-wrapper-large'";
    expect(plain.text(code)).toBe(code);
  });
});

describe("directories", () => {
  const mask = createMask({ secrets: [], places: requestPlaces(places) });

  test("replaces a path only as a whole component", () => {
    expect(mask.text("/srv/project/a.ts, /srv/project. (/home/me/.pintle/x)")).toBe("<cwd>/a.ts, <cwd>. (<home>/x)");
    const others = "/srv/projects /srv/project-b /srv/project.txt /net/srv/project";
    expect(mask.text(others)).toBe(others);
  });

  test("recognizes a directory also by the path that links lead to", () => {
    const directory = freshDirectory();
    const [real, link] = [join(directory, "real"), join(directory, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const linked = createMask({ secrets: [], places: requestPlaces({ ...places, cwd: link }) });
    expect(linked.text(`${link}/a ${real}/b`)).toBe("<cwd>/a <cwd>/b");
  });

  test("restores replaced paths, also in another directory and in pieces", () => {
    const text = "see /srv/project/src and /srv/project";
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (borders) => {
        const cuts = [0, ...borders.sort((a, b) => a - b), text.length];
        const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
        const stored = createMask({ secrets: [], places: streamPlaces(places) }).pieces(pieces);
        expect(stored.join("")).not.toContain("/work");
        expect(stored.map(restorePlaces(places))).toEqual(pieces);
        for (const cwd of ["/w", "/a/much/longer/directory/than/before"]) {
          expect(stored.map(restorePlaces({ ...places, cwd })).join("")).toBe(`see ${cwd}/src and ${cwd}`);
        }
      }),
    );
  });
});
