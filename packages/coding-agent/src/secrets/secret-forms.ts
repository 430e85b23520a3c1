/** One form of a secret. */
export interface SecretForm {
  pattern: RegExp;
  /** Whether what follows the part that stays, the first group, is a secret; without it, it is. */
  isSecret?(value: string): boolean;
}

/**
 * Texts that are secret by their form, whatever stands around them. Most want a digit near their beginning, so that names in
 * source code are left alone. Nothing in these looks ahead without a limit: a hostile text must not cost more than others.
 */
const FORMATS = [
  String.raw`\b(?:sk|rk|pk)[-_](?=[\w-]{0,60}\d)[\w-]{16,}`,
  String.raw`\bAIza[\w-]{30,}`,
  String.raw`\bya29\.[\w.-]{20,}`,
  String.raw`\b(?:gh[opusr]_|github_pat_|glpat-|xai-|gsk_|hf_|fw_|r8_|nvapi-|npm_|pypi-|dop_v1_|shpat_|xox[abeoprs]-|xapp-|GOCSPX-|dckr_pat_|lin_api_|pplx-|tvly-|sntry[su]_|glptt-|ATATT)(?=[\w-]{0,60}\d)[\w-]{16,}`,
  String.raw`\bA(?:KIA|SIA)[0-9A-Z]{16}\b`,
  String.raw`\bSG\.[\w-]{16,}`,
  String.raw`\bhv[sb]\.[\w-]{20,}`,
  String.raw`\bAGE-SECRET-KEY-1[0-9A-Z]{20,}`,
  String.raw`\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}`,
  '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-"]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?',
];
const ANY_FORMAT = new RegExp(FORMATS.join("|"), "g");

/** What stands before the secret stays. Each name is one that people give to secrets and to little else. */
const AFTER_NAME =
  /((?:(?:api|access|account|signing)[-_]?key|secret|token|passw(?:or)?d|private[-_]?key|credential)s?\\?["']?\s{0,8}[:=]\s{0,8}\\?["']?)([^\s"'\\,;&)}]{8,})/gi;
const AFTER_SCHEME = /(\b(?:bearer|basic)\s{1,8})([\w.+/=~-]{16,})/gi;
const COOKIE = /(\b(?:set-)?cookie['"]?\s{0,8}:\s{0,8}['"]?)([^\n'"\\]{8,4000})/gi;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@'"]{1,100}:)([^\s/@'"]{3,200})(?=@)/gi;

/** `token: string` and `password = process.env.PASSWORD` are source code; `<` and `[` begin a mask. */
function looksSecret(value: string): boolean {
  return /\d/.test(value) && !/^[$<{[(]|\(|\.env\b|^\d+$/.test(value);
}

/** In the order in which they are looked for. No match ends inside an escape of JSON, so that masked JSON is JSON. */
export const SECRET_FORMS: readonly SecretForm[] = [
  { pattern: ANY_FORMAT },
  { pattern: IN_ADDRESS },
  { pattern: AFTER_SCHEME },
  { pattern: COOKIE },
  { pattern: AFTER_NAME, isSecret: looksSecret },
];
