import { join } from "node:path";
import { visiblePath } from "@pintle/foundation";
import { discoverModules } from "../extensibility/sources/discovery.ts";
import { CODE_FOLDERS } from "../trust/covered-places.ts";
import { loadableIn } from "../trust/loadable-files.ts";
import { broken, type Check, info, ok } from "./finding.ts";

export const checkTrust: Check = ({ trust }) => {
  if (trust.state !== "withheld") {
    return [ok(trust.state === "none" ? "nothing in this directory needs consent" : "this project's code is trusted")];
  }
  const names = trust.withheld.map(({ kind, name }) => `${kind} ${name}`);
  const why =
    trust.obstacle === undefined ? "" : `; consent cannot be given for this content, because ${trust.obstacle}`;
  return [info(`withheld without consent (--trust gives it): ${names.join(", ")}${why}`)];
};

/** Lists the modules by name. Loads nothing, with or without consent. */
export const checkModules: Check = ({ cwd, home, settings, trust }) => {
  const named = (key: "extensions" | "customTools") => {
    const { file, layer } = settings.origin(key);
    const baseDir = file === undefined ? cwd : join(file, "..");
    return layer === "project" ? [] : settings.get(key).map((path) => ({ path, baseDir }));
  };
  const extensions = discoverModules("extension", {
    cwd,
    home,
    isTrusted: false,
    settingsPaths: named("extensions"),
    flagPaths: [],
    disabled: settings.get("disabledExtensions"),
  });
  const tools = discoverModules("tool", {
    cwd,
    home,
    isTrusted: false,
    settingsPaths: named("customTools"),
    flagPaths: [],
  });
  const ofProject = CODE_FOLDERS.flatMap(({ path, kind }) =>
    loadableIn(join(cwd, path)).map((file) => ({ kind, ...file })),
  );
  const state = trust.isTrusted ? "of the project, with consent" : "of the project, withheld";
  const found = [
    ...extensions.sources.map(({ path }) => ok(`extension ${visiblePath(path)}`)),
    ...tools.sources.map(({ path }) => ok(`custom tool ${visiblePath(path)}`)),
    ...ofProject.map(({ kind, path }) => info(`${kind.replace("_", " ")} ${visiblePath(path)} (${state})`)),
    ...[...extensions.errors, ...tools.errors].map(({ path, error }) => broken(`${visiblePath(path)}: ${error}`)),
  ];
  return found.length > 0 ? found : [info("none")];
};
