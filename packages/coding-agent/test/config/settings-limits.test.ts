import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SETTING_KEYS, type SettingKey, settingRow } from "../../src/config/settings/settings-schema.ts";
import { settingsPlaces } from "../support/config/settings-places.ts";

const limits = SETTING_KEYS.filter((key) => ["lower", "raise"].includes(settingRow(key).project));

/** Values of a row: flags, or numbers around its default. */
function valuesOf(key: SettingKey): fc.Arbitrary<boolean | number> {
  const { type, default: standard } = settingRow(key);
  if (typeof standard === "boolean") return fc.boolean();
  const numbers = fc.oneof(fc.integer({ min: 0, max: 2 * Number(standard) }), fc.maxSafeNat());
  return numbers.filter((value) => type.read(value) !== undefined);
}

describe("an untrusted project makes a limit stricter or leaves it", () => {
  test.each(limits)("%s", (key) => {
    const { project: right, default: standard } = settingRow(key);
    const isLooser = (value: unknown, than: unknown) =>
      right === "lower" ? Number(value) > Number(than) : Number(value) < Number(than);
    const user = fc.option(valuesOf(key), { nil: undefined });
    fc.assert(
      fc.property(user, valuesOf(key), (own, wish) => {
        using places = settingsPlaces({ user: own === undefined ? {} : { [key]: own }, project: { [key]: wish } });
        const settings = places.open();
        const limit = own ?? standard;
        expect(settings.get(key)).toBe((isLooser(wish, limit) ? limit : wish) as never);
        expect(settings.project?.withheld).toEqual(isLooser(wish, standard) ? [key] : []);
        settings.trustProject();
        expect([settings.get(key), settings.project?.withheld]).toEqual([wish, []] as never);
        settings.override(key, standard as never);
        expect(settings.get(key)).toBe(standard as never);
      }),
      { numRuns: 30 },
    );
  });

  test("there are such rows, and all have a default to compare with", () => {
    expect(limits.length).toBeGreaterThan(5);
    expect(limits.filter((key) => !["boolean", "number"].includes(typeof settingRow(key).default))).toEqual([]);
  });
});
