import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { settingRow } from "../../../../coding-agent/src/config/settings/settings-schema.ts";
import { isWithheld, matchesName } from "../../../src/processes/child/child-environment.ts";

const defaults = {
  keyVariables: ["MY_LLM"],
  withhold: settingRow("env.withhold").default as string[],
  pass: settingRow("env.pass").default as string[],
};

describe("with the default patterns", () => {
  const SECRETS =
    "MY_LLM OPENAI_API_KEY GITHUB_TOKEN NPM_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN PGPASSWORD " +
    "APIKEY api_key DB_PASSWORD CLIENT_SECRET SECRET_KEY_BASE TOKEN KEY SIGNING_KEYS GPG_PASSPHRASE MYSQL_PASSWD TOKEN_V2";
  const HARMLESS =
    "PATH HOME PWD OLDPWD SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY KEYMAP KEYBOARD KEYBOARD_LAYOUT KEYTIMEOUT XKB_DEFAULT_LAYOUT " +
    "TOKENIZERS_PARALLELISM GNOME_KEYRING_CONTROL SECRETARY PASSWORD_STORE_DIR ANSIBLE_HOST_KEY_CHECKING LANG MAX_TOKENS NODE_OPTIONS";

  test.each(SECRETS.split(" "))("%s is withheld", (name) => expect(isWithheld(name, defaults)).toBe(true));
  test.each(HARMLESS.split(" "))("%s is inherited", (name) => expect(isWithheld(name, defaults)).toBe(false));
});

test("a variable in env.pass is passed on, whatever other pattern matches it", () => {
  const rules = { ...defaults, pass: ["my_llm", "GITHUB_*"] };
  expect(["MY_LLM", "GITHUB_TOKEN", "NPM_TOKEN"].map((name) => isWithheld(name, rules))).toEqual([false, false, true]);
});

describe("patterns", () => {
  const letters = fc.array(fc.constantFrom("A", "B", "_"), { maxLength: 8 });

  test("mean what the regular expression means", () => {
    const pattern = fc.array(fc.constantFrom("A", "B", "_", "*"), { maxLength: 8 });
    fc.assert(
      fc.property(letters, pattern, (name, parts) => {
        const expected = new RegExp(`^${parts.join("").replaceAll("*", ".*")}$`).test(name.join(""));
        expect(matchesName(name.join(""), parts.join(""))).toBe(expected);
      }),
    );
  });

  test("with many stars are looked at once", () => {
    expect(matchesName("A".repeat(20_000), `${"*A".repeat(5_000)}*B`)).toBe(false);
  });
});
