const SERVER_NAME = /^[a-zA-Z0-9_.-]{1,100}$/;

/** Of one file, or of a host. */
export const MAX_SERVERS = 100;

export function isServerName(name: string): boolean {
  return SERVER_NAME.test(name);
}

/** Who named it, as hosts read it. */
export function sourceOf(path: string): { file: string; source: "file" | "host" } {
  return { file: path, source: path === "" ? "host" : "file" };
}
