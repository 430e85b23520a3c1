import { type SettingRows, setting } from "../setting-row.ts";
import { flag, growingStrings, type StringList, text } from "../settings-types.ts";

/**
 * Patterns of secret names: the word at the end, or before an underscore, as in `AWS_ACCESS_KEY_ID` and `PGPASSWORD`. Names that
 * only start with such a word are something else: `KEYBOARD`, `KEYTIMEOUT`, `TOKENIZERS_PARALLELISM`.
 */
const SECRET_NAMES: StringList = Object.freeze([
  "*KEY",
  "*KEYS",
  "*KEY_*",
  "*TOKEN",
  "*TOKEN_*",
  "*SECRET",
  "*SECRETS",
  "*SECRET_*",
  "OTEL_EXPORTER_OTLP*HEADERS",
  "*PASSWORD",
  "*PASSWORDS",
  "*PASSWORD_*",
  "*PASSWD",
  "*PASSPHRASE",
]);
/** Names that look like secrets but are a directory and a switch of well-known programs. */
const HARMLESS_NAMES: StringList = Object.freeze(["PASSWORD_STORE_DIR", "ANSIBLE_HOST_KEY_CHECKING"]);

/** Which programs run, and what they inherit. */
export const PROGRAMS = {
  "search.preferSystem": setting({
    type: flag,
    default: false,
    project: "consent",
    meaning: "Use the system's `rg` instead of the bundled one.",
  }),
  shellPath: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Shell for commands; defaults to `bash`, or `sh` if there is no bash.",
  }),
  shellCommandPrefix: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Text that is prepended to every shell command.",
  }),

  "env.withhold": setting({
    type: growingStrings,
    default: SECRET_NAMES,
    isStrict: true,
    project: "always",
    host: "any",
    meaning:
      "Names of variables that commands, MCP servers and programs of extensions do not inherit. `*` matches any text; case is ignored.",
  }),
  "env.pass": setting({
    type: growingStrings,
    default: HARMLESS_NAMES,
    project: "consent",
    host: "env",
    meaning: "Names of variables that are inherited even if `env.withhold` or a configured key names them.",
  }),
} satisfies SettingRows;
