import { PREFIXES, SHAPES, VENDORS } from "./token-kinds.ts";

/** A pattern for one form of secret. If it has groups, the first one stays and the second one is the secret. */
export interface SecretForm {
  pattern: RegExp;
  /** Decides whether the second group is a secret. Without this function, every match is one. */
  isSecret?(value: string): boolean;
  /** Characters of which every match has at least one, so that most strings need no search. */
  marks?: readonly string[];
}

const ANY_TOKEN = new RegExp([prefixedToken(), ...Object.values(SHAPES)].join("|"), "g");

/** Groups prefixes by their first letter, so that a word is compared with a few of them and not with all. */
function prefixedToken(): string {
  const prefixes = Object.values(PREFIXES).flatMap((row) => row.split(" "));
  const groups = Object.entries(Object.groupBy(prefixes, (prefix) => prefix.charAt(0)));
  const anyOf = groups.map(([first, group = []]) => {
    const rests = group.map((prefix) => RegExp.escape(prefix.slice(1)).replaceAll("\\x2d", "-"));
    return `${first}(?:${rests.join("|")})`;
  });
  return String.raw`\b(?:${anyOf.join("|")})(?=[\w-]{0,60}\d)[\w-]{16,}(?:\.[\w-]{16,}){0,3}`;
}

/** Names that people give to secrets and to little else. `PWD` alone is the shell's working directory. */
const SECRET_NAMES = [
  String.raw`(?:api|access|account|signing|secret|encryption|master|deploy|shared)[-_]?key`,
  "secret",
  "token",
  "passw(?:or)?d",
  "passphrase",
  "[-_](?:pass|auth)",
  String.raw`;\s{0,2}pwd`,
  "private[-_]?key",
  "credential",
];
const AFTER_NAME = new RegExp(
  String.raw`((?:${SECRET_NAMES.join("|")})s?\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)([^\s"'\\,;&)}]{8,})`,
  "gi",
);
const AFTER_VENDOR = new RegExp(
  String.raw`((?:${VENDORS.join("|")})[\w.-]{0,20}\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)([\w=+-]{16,200})(?![\w/.(])`,
  "gi",
);
const AFTER_SCHEME = /(\b(?:bearer|basic)\s{1,8})([\w.+/=~-]{16,})/gi;
const AUTHORIZATION = /(\bauthorization\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?[a-z-]{1,20}\s{1,8})([\w.+/=~:-]{8,})/gi;
/** As in `.netrc`, and as curl and others accept it on the command line. */
const LOGIN = /(\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8})(\S{3,200})/gi;
const USER_OPTION = /((?<!\S)(?:-u|--user)[\s=]["']?[^\s:'"]{1,100}:)([^\s'"\\]{6,200})/g;
const SIGNED_ADDRESS = /([?&]sig(?:nature)?=)([\w%.+/=-]{20,})/gi;
const COOKIE = /(\b(?:set-)?cookie['"]?\s{0,8}:\s{0,8}['"]?)([^\n'"\\]{8,4000})/gi;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{0,100}:)([^\s/@'"]{3,200})(?=@)/gi;

/** Rejects source code, such as `token: string` or `password = process.env.PASSWORD`, and masks, which begin with `<` or `[`. */
function looksSecret(value: string): boolean {
  return /\d/.test(value) && !/^[$<{[(]|\(|\.env\b|^\d+$/.test(value);
}

/** Rejects versions, dates and names joined by hyphens. */
function looksRandom(value: string): boolean {
  return (value.match(/\d/g)?.length ?? 0) >= 3 && /[a-z]/i.test(value) && !/[a-z]{4,}[-_][a-z]{4,}/i.test(value);
}

/** Applied in this order. No match ends inside a JSON escape sequence, so masked JSON is still valid. */
export const SECRET_FORMS: readonly SecretForm[] = [
  { pattern: ANY_TOKEN },
  { pattern: IN_ADDRESS, marks: ["://"] },
  { pattern: AFTER_SCHEME },
  { pattern: AUTHORIZATION, isSecret: looksSecret, marks: [":", "="] },
  { pattern: LOGIN },
  { pattern: USER_OPTION, isSecret: looksSecret, marks: ["-u"] },
  { pattern: SIGNED_ADDRESS, marks: ["="] },
  { pattern: COOKIE, marks: [":"] },
  { pattern: AFTER_NAME, isSecret: looksSecret, marks: [":", "="] },
  { pattern: AFTER_VENDOR, isSecret: looksRandom, marks: [":", "="] },
];
