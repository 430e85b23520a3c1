import type { ToolAccess } from "../define-tool.ts";

// How the declarations say what their calls touch. The arguments were checked; of a tool that takes the place of a built-in
// one they may be anything.

export const pathOf = ({ path }: Readonly<Record<string, unknown>>): string => (typeof path === "string" ? path : ".");

export const READS_PATH: ToolAccess = { kind: "read", paths: (args) => [pathOf(args)] };

export const WRITES_PATH: ToolAccess = { kind: "write", paths: (args) => [pathOf(args)] };

export const RUNS_COMMAND: ToolAccess = {
  kind: "execute",
  command: ({ command, cwd, env, escalate, reason }) => ({
    text: typeof command === "string" ? command : "",
    ...(typeof cwd === "string" && { cwd }),
    ...(escalate === true && { escalation: typeof reason === "string" ? reason : "" }),
    hasOwnEnvironment: typeof env === "object" && env !== null && Object.keys(env).length > 0,
  }),
};
