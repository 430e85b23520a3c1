const SERVER_NAME = /^[a-zA-Z0-9_.-]{1,100}$/;

/** Maximum number of servers in one file or from one host. */
export const MAX_SERVERS = 100;

export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** The source of a server, as shown to hosts. */
export function sourceOf(path: string): { file: string; source: "file" | "host" } {
  return { file: path, source: path === "" ? "host" : "file" };
}
