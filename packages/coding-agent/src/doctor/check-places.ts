import { accessSync, constants, existsSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { isatty } from "node:tty";
import { errorText } from "@pintle/ai";
import { findOwnRipgrep, loadAstEngine } from "@pintle/exec/native";
import { visiblePath } from "@pintle/foundation";
import { broken, type Check, type Finding, info, ok, warning } from "./finding.ts";

export const checkProgram: Check = ({ version }) => [
  ok(`pintle ${version}, Bun ${Bun.version}, ${process.platform} ${process.arch} ${release()}`),
  ok(process.execPath),
];

export const checkDirectories: Check = ({ cwd, home, sessionDir }) => [
  ok(`working directory ${visiblePath(cwd)}`),
  writable("settings, keys and models", home),
  writable("sessions", sessionDir),
];

/** Missing directories are created with the first session, so the nearest existing parent is checked. */
function writable(what: string, directory: string): Finding {
  const place = `${what} ${visiblePath(directory)}`;
  try {
    if (existsSync(directory)) {
      if (!statSync(directory).isDirectory()) return broken(`${place}: is not a directory`);
      // Permissions do not show that a disk is full or mounted read-only.
      const probe = join(directory, `.doctor-${process.pid}-${crypto.randomUUID()}`);
      writeFileSync(probe, "x", { flag: "wx", mode: 0o600 });
      unlinkSync(probe);
      return ok(place);
    }
    let parent = dirname(directory);
    while (!existsSync(parent)) parent = dirname(parent);
    accessSync(parent, constants.W_OK);
    return ok(`${place} (will be created)`);
  } catch (error) {
    return broken(`${place}: cannot be written: ${errorText(error)}`);
  }
}

/** Reports mistakes that prevent the start as broken, and others, such as a mistake in a project's file, as warnings. */
export const checkConfiguration: Check = ({ problems, registry, settings }) => {
  const isEnd = new Set([...registry.problems(), ...settings.problems]);
  if (problems.length === 0) return [ok("all files can be read")];
  return problems.map((problem) => (isEnd.has(problem) ? broken(problem) : warning(problem)));
};

export const checkNativeParts: Check = async () => {
  const ripgrep = await findOwnRipgrep();
  return [
    ripgrep ? ok(`ripgrep ${ripgrep}`) : warning("pintle's own ripgrep is missing: searches use the one on the PATH"),
    astEngine(),
  ];
};

function astEngine(): Finding {
  try {
    const extra = Object.keys(loadAstEngine().parsers).sort();
    return ok(`AST engine, with built-in parsers and those for ${extra.join(", ")}`);
  } catch (error) {
    return broken(errorText(error));
  }
}

const STREAMS = ["stdin", "stdout", "stderr"] as const;

export const checkTerminal: Check = ({ env }) => {
  const kinds = STREAMS.map((name, fd) => `${name} ${isatty(fd) ? "a terminal" : "no terminal"}`);
  const size = isatty(2) ? `, ${process.stderr.columns} columns` : "";
  const names = ["TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG"].filter((name) => env[name]);
  const values = names.map((name) => `${name}=${visiblePath(env[name] ?? "")}`);
  return [info(kinds.join(", ") + size), ...(values.length > 0 ? [info(values.join(" "))] : [])];
};
