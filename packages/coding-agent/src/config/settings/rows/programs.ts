import { type SettingRows, setting } from "../setting-row.ts";
import { flag, growingStrings, type StringList, text } from "../settings-types.ts";

/**
 * What names of secrets end with, or have before an underscore: `AWS_ACCESS_KEY_ID`, `PGPASSWORD`. Names that only begin
 * like one are something else: `KEYBOARD`, `KEYTIMEOUT`, `TOKENIZERS_PARALLELISM`.
 */
const SECRET_NAMES: StringList = Object.freeze([
  ...["*KEY", "*KEYS", "*KEY_*", "*TOKEN", "*TOKEN_*", "*SECRET", "*SECRETS", "*SECRET_*"],
  "OTEL_EXPORTER_OTLP*HEADERS",
  ...["*PASSWORD", "*PASSWORDS", "*PASSWORD_*", "*PASSWD", "*PASSPHRASE"],
]);
/** They look like secrets and are a directory and a switch of well-known programs. */
const HARMLESS_NAMES: StringList = Object.freeze(["PASSWORD_STORE_DIR", "ANSIBLE_HOST_KEY_CHECKING"]);

/** Which programs are run, and what they inherit. */
export const PROGRAMS = {
  "search.preferSystem": setting({
    type: flag,
    default: false,
    project: "consent",
    meaning: "Use the system's `rg` instead of the one that comes with pintle.",
  }),
  shellPath: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Shell for commands; without it `bash`, else `sh`.",
  }),
  shellCommandPrefix: setting({
    type: text,
    default: undefined,
    project: "consent",
    meaning: "Text put in front of every shell command.",
  }),

  "env.withhold": setting({
    type: growingStrings,
    default: SECRET_NAMES,
    isStrict: true,
    project: "always",
    host: "any",
    meaning:
      "Names of variables that commands, MCP servers and programs of extensions do not inherit; `*` is any text, case does not matter.",
  }),
  "env.pass": setting({
    type: growingStrings,
    default: HARMLESS_NAMES,
    project: "consent",
    host: "env",
    meaning: "Names of variables that are inherited although `env.withhold` or the configured keys name them.",
  }),
} satisfies SettingRows;
