import { isWithin, type NetworkAccess } from "@pintle/foundation";
import type { HostSettings, SettingsPlace } from "@pintle/gateway";
import { PERMISSION_MODES, type PermissionMode } from "@pintle/wire";
import type { HostRight } from "../config/settings/setting-row.ts";
import { type Layer, readExplicit } from "../config/settings/settings-layer.ts";
import { type SettingKey, settingRow } from "../config/settings/settings-schema.ts";
import { networkAccess } from "../config/settings/settings-types.ts";
import { shown } from "../config/settings/shown-name.ts";

export interface HostSettingsBounds {
  /** The most permissive preset that a host may choose. */
  max: PermissionMode;
  /** Names of variables that a host may set. */
  env: readonly string[];
  /** The network access of the server's own commands, which a host cannot exceed. */
  network: NetworkAccess;
}

/** Lists that a host can only add to, so that it cannot remove the user's entries. The engine receives them as flags. */
const PATH_FLAGS: Readonly<Partial<Record<SettingKey, string>>> = {
  extensions: "--extension",
  customTools: "--custom-tool",
  skills: "--skill",
  prompts: "--prompt-template",
};

class Refusal extends Error {}

/**
 * Reads the settings that a server's host sets for a session. Parses them first, so that the check recognizes every spelling
 * of a key and the engine receives only checked values.
 */
export function createHostSettings(bounds: HostSettingsBounds): HostSettings {
  return (given, place) => {
    const { layer, errors } = readExplicit({ ...given });
    if (errors.length > 0) return { code: "invalid_request", error: errors.join("\n") };
    const unservable = [...layer.keys()].find((key) => settingRow(key).host === undefined);
    if (unservable !== undefined) {
      return { code: "invalid_request", error: `${shown(unservable)} cannot be set by a host of a server` };
    }
    try {
      return { flags: toFlags(layer, bounds, place) };
    } catch (error) {
      if (error instanceof Refusal) return { code: "not_allowed", error: error.message };
      throw error;
    }
  };
}

function toFlags(layer: Layer, bounds: HostSettingsBounds, place: SettingsPlace | undefined): string[] {
  return [...layer].flatMap(([key, value]) => {
    const checked = CHECKS[settingRow(key).host ?? "ceiling"](key, value, bounds, place);
    const flag = PATH_FLAGS[key];
    if (flag !== undefined) return stringList(checked).map((path) => `${flag}=${path}`);
    return [`--set=${key}=${checked === undefined ? "" : JSON.stringify(checked)}`];
  });
}

/** Returns the list of strings of a row with these rights. Reading the settings has checked its type. */
function stringList(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new TypeError("expected a list");
  return value;
}

type Check = (key: SettingKey, value: unknown, bounds: HostSettingsBounds, place: SettingsPlace | undefined) => unknown;

/** Converts a value for the engine, by host right. Throws Refusal. */
const CHECKS: Readonly<Record<HostRight, Check>> = {
  any: (_key, value) => value,
  ceiling(key, value, bounds) {
    const { max } = bounds;
    if (max !== "full" && !WITHIN_CEILING[key]?.(value, bounds)) {
      throw new Refusal(`${key}: hosts of this server cannot exceed the preset "${max}" (serve.maxPermissions)`);
    }
    return value;
  },
  roots(key, value, _bounds, place) {
    const paths = stringList(value);
    if (!place) return paths; // a job: the node that runs it checks its own roots
    return paths.map((path) => {
      const real = place.realPathInside(path);
      if (real === undefined) throw new Refusal(`${key}: ${shown(path)} is not inside the roots of this server`);
      return real;
    });
  },
  env(key, value, { env }) {
    const refused = stringList(value).find((name) => !env.includes(name) || name.includes("*"));
    if (refused !== undefined) {
      throw new Refusal(`${key}: ${shown(refused)} is not a variable that hosts may set (serve.env)`);
    }
    return value;
  },
};

const freedom = (mode: unknown) => PERMISSION_MODES.findIndex((known) => known === mode);

/** Keys that a host may set even if the ceiling is not `full`, as long as the value stays below the ceiling. */
const WITHIN_CEILING: Readonly<Partial<Record<SettingKey, (value: unknown, bounds: HostSettingsBounds) => boolean>>> = {
  "permissions.mode": (value, { max }) => freedom(value) <= freedom(max),
  "sandbox.mode": (value) => value !== "off",
  "sandbox.network": (value, { network }) => isWithin(networkAccess.read(value)?.value, network),
};
