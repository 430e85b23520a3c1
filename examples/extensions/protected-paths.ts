// Keeps the model's file tools away from some files and folders, whatever the user says. To choose the names:
//   pintle --extension examples/extensions/protected-paths.ts --protect=secrets,.env -p 'write secrets/key: x'
// Commands that name one of them are refused too. A determined command can evade that: use a sandbox as well.
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { ExtensionFactory } from "pintle";

const WRITERS = new Set(["write", "edit"]);

const extension: ExtensionFactory = (pi) => {
  pi.registerFlag("protect", {
    type: "string",
    default: ".env,.git,node_modules",
    description: "files and folders that are not written, separated by commas",
  });
  const names = () => String(pi.getFlag("protect")).split(",").filter(Boolean);

  pi.on("tool_call", ({ toolName, input }, ctx) => {
    const name = WRITERS.has(toolName)
      ? names().find((one) =>
          realPath(resolve(ctx.cwd, String(input.path)))
            .split(sep)
            .includes(one),
        )
      : toolName === "bash"
        ? names().find((one) =>
            String(input.command)
              .split(/[\s'"/;|&<>()=]+/)
              .includes(one),
          )
        : undefined;
    return name === undefined ? undefined : { block: true, reason: `${name} is protected. Leave it as it is.` };
  });
};

/** Resolves where a file would really be written: a link to a protected folder has another name. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), basename(path));
}

export default extension;
