// Read at every start with the declarations: keep it small.

type Arguments = Record<string, unknown>;

/** Which files a call is about. */
export interface ScopeArguments {
  path?: string;
  glob?: string;
  lang?: string;
  sel?: string;
}

/** `paths: [...]` is another way to say `path: "a, b"`. */
export function joinPaths({ paths, ...rest }: Arguments): Arguments {
  if (!Array.isArray(paths) || rest.path !== undefined) return paths === undefined ? rest : { ...rest, paths };
  return { ...rest, path: paths.map((path) => (String(path).includes('"') ? `'${path}'` : `"${path}"`)).join(",") };
}

/** One thing where a list is expected. Lists that were sent as text are left to the check of the arguments. */
export function wrapSingle(args: Arguments, name: string): Arguments {
  const value = args[name];
  const isSingle = typeof value === "string" ? !isListAsText(value) : value !== null && typeof value === "object";
  return isSingle && !Array.isArray(value) ? { ...args, [name]: [value] } : args;
}

function isListAsText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((item) => typeof item === "string" || typeof item === "object");
  } catch {
    return false;
  }
}

/** A number as models send them: whole after cutting off its fraction. */
export function wholeNumber(value: number | undefined, { field, least }: { field: string; least: number }) {
  if (value === undefined) return undefined;
  const whole = Math.floor(value);
  if (Number.isFinite(whole) && whole >= least) return whole;
  throw new Error(`${field} must be a number of at least ${least}`);
}
