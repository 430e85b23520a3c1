import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createRedactor } from "../../src/secrets/redact.ts";
import { PREFIXES, SHAPES, VENDORS } from "../../src/secrets/token-kinds.ts";

const { text: redact } = createRedactor();
const ROOT = resolve(import.meta.dir, "../../../..");
const REDACTED = "[redacted]";
/** Masked like any other password in an address. */
const PLACEHOLDER = "postgres://user:password@";

/** Returns a string of that length that resembles no natural word. */
const alnum = (length: number) => "k7Qx2Zp9".repeat(Math.ceil(length / 8)).slice(0, length);
const upper = (length: number) => alnum(length).toUpperCase();
const lower = (length: number) => alnum(length).toLowerCase();
const hex = (length: number) => "3fa9c07e".repeat(Math.ceil(length / 8)).slice(0, length);
const uuid = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`;

const prefixes = Object.entries(PREFIXES).flatMap(([vendor, row]) => row.split(" ").map((prefix) => [prefix, vendor]));

describe("tokens with a prefix", () => {
  test.each(prefixes)("%s (%s) is masked", (prefix) => {
    expect(redact(`before "${prefix}${alnum(36)}" after`)).toBe(`before "${REDACTED}" after`);
  });

  test.each(prefixes)("%s (%s) alone, or before a short word, is left alone", (prefix) => {
    expect(redact(`before ${prefix}name after ${prefix}`)).toBe(`before ${prefix}name after ${prefix}`);
  });

  test("every part of a token with dots is masked", () => {
    expect(redact(`SG.${alnum(22)}.${alnum(43)} x`)).toBe(`${REDACTED} x`);
    expect(redact(`dt0c01.${alnum(24)}.${alnum(64)} x`)).toBe(`${REDACTED} x`);
  });
});

/** Maps a kind to a token as the vendor writes it, and a string that only resembles one. */
const SAMPLES: Readonly<Record<keyof typeof SHAPES, readonly [secret: string, harmless: string]>> = {
  "1Password secret key": [`A3-${upper(6)}-${upper(11)}-${upper(5)}-${upper(5)}-${upper(5)}`, "A3-PAPER-SIZE"],
  "age key": [`AGE-SECRET-KEY-1${upper(58)}`, "AGE-SECRET-KEY-1"],
  "Airtable token": [`pat${alnum(14)}.${hex(64)}`, "pattern.test(value)"],
  "Alibaba Cloud key": [`LTAI${alnum(20)}`, "LTAI"],
  "AWS key id": [`AKIA${upper(16)}`, "AKIAN"],
  "Azure client secret": [`abc8Q~${alnum(34)}`, "abcQ~"],
  "Azure shared key": [`${alnum(33)}+ASb${alnum(5)}A=`, "ASbestos"],
  "ClickHouse key": [`4b1d${alnum(38)}`, "4b1d0000"],
  "Cloudflare origin key": [`v1.0-${hex(24)}-${hex(146)}`, "v1.0-beta"],
  "crates.io token": [`cio${alnum(32)}`, "cio"],
  "Databricks token": [`dapi${hex(32)}`, "dapi"],
  "Discord bot token": [`M${alnum(23)}.${alnum(6)}.${alnum(38)}`, "Module.exports.name"],
  "Discord webhook": [`discord.com/api/webhooks/123456789012345678/${alnum(68)}`, "discord.com/api/webhooks"],
  "Dropbox token": [`sl.${alnum(140)}`, "sl.exe"],
  "Facebook token": [`EAAC${alnum(120)}`, "EAAC"],
  "Firecrawl key": [`fc-${hex(32)}`, "fc-match"],
  "Google API key": [`AIza${alnum(35)}`, "AIza"],
  "Google OAuth token": [`ya29.${alnum(60)}`, "ya29.x"],
  "Google refresh token": [`1//0${alnum(90)}`, "1//0"],
  "JSON web token": [`eyJ${alnum(20)}.${alnum(40)}.${alnum(30)}`, "eyJ"],
  "LaunchDarkly key": [`sdk-${uuid}`, "sdk-version"],
  "Lob key": [`live_${hex(35)}`, "live_reload"],
  "Mailchimp key": [`${hex(32)}-us12`, "abc-us12"],
  "Mailgun key": [`key-${hex(32)}`, "key-value-store-of-2024"],
  "MaxMind key": [`${alnum(6)}_${alnum(29)}_mmk`, "a_mmk"],
  "Microsoft Teams webhook": [
    `webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`,
    "webhook.office.com",
  ],
  "Modal token": [`ak-${alnum(22)}`, "ak-47"],
  "NuGet key": [`oy2${lower(43)}`, "oy2"],
  "Notion integration secret": [`secret_${alnum(43)}`, "secret_name"],
  "Octopus Deploy key": [`API-${upper(26)}`, "API-GATEWAY"],
  "private key": [
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${alnum(64)}\n-----END OPENSSH PRIVATE KEY-----`,
    "BEGIN PRIVATE KEY",
  ],
  "Resend key": [`re_${alnum(8)}_${alnum(24)}`, "re_export_all_names"],
  "Slack webhook": [`hooks.slack.com/services/T0${upper(8)}/B0${upper(8)}/${alnum(24)}`, "hooks.slack.com/services/"],
  "Telegram bot token": [`123456789:A${alnum(34)}`, "12:30:A"],
  "Tencent Cloud key": [`AKID${alnum(32)}`, "AKID"],
  "Twilio key": [`SK${hex(32)}`, "SKILL"],
  "Voyage key": [`pa-${alnum(43)}`, "pa-ram"],
  "Yandex token": [`t1.${alnum(40)}.${alnum(86)}`, "t1.start"],
};

describe("tokens with a shape of their own", () => {
  test("every shape has a sample", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(Object.keys(SHAPES).sort());
  });

  test.each(Object.entries(SAMPLES))("%s", (_kind, [secret, harmless]) => {
    expect(redact(`x ${secret} y`)).toBe(`x ${REDACTED} y`);
    expect(redact(`x ${harmless} y`)).toBe(`x ${harmless} y`);
  });
});

describe("tokens known by the name before them", () => {
  test.each(VENDORS)("%s", (vendor) => {
    expect(redact(`${vendor.toUpperCase()}_APP=${lower(32)}`)).toBe(`${vendor.toUpperCase()}_APP=${REDACTED}`);
    expect(redact(`"${vendor}": "${lower(32)}"`)).toBe(`"${vendor}": "${REDACTED}"`);
  });

  test.each([
    "zoom: 1.25",
    "sonar.projectKey=my-company-frontend-app",
    "twitter: https://twitter.com/a1b2c3d4e5f6a7b8",
    "const mistral = createMistralClient2024(options)",
    '"discord.js": "14.16.3"',
  ])("%s is left alone", (text) => expect(redact(text)).toBe(text));
});

test("there are more than 200 kinds", () => {
  expect(prefixes.length + Object.keys(SHAPES).length + VENDORS.length).toBeGreaterThan(200);
});

test("nothing in the sources and the lockfile of this repository is taken for a token", () => {
  const below = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
  const packages = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/src`);
  const folders = [...packages.filter((folder) => existsSync(join(ROOT, folder))), "scripts"];
  const masked = [...folders.flatMap(below), "package-lock.json"]
    .filter((path) => /\.(?:ts|mjs|json)$/.test(path))
    .flatMap((path) => {
      const lines = readFileSync(join(ROOT, path), "utf8").split("\n");
      return lines.flatMap((line, index) =>
        redact(line) === line || line.includes(PLACEHOLDER) ? [] : [`${path}:${index + 1}: ${line.trim()}`],
      );
    });
  expect(masked).toEqual([]);
});

test("takes linear time on hostile text", () => {
  const started = ["sk-", "SG.", "eyJ", "A3-", "twitter", "key-", "t1.", "v1.0-", "-----BEGIN "];
  for (const part of started) expect(redact(part.repeat(100_000)).length).toBeGreaterThan(0);
});
