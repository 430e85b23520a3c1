/**
 * The parts of the page that load on first use: one file in views/ each, with the style sheet of the same name if there is
 * one. The build turns each file into a script, which gets shared modules from the page.
 */
interface Views {
  highlighter: typeof import("./views/highlighter.ts");
  jobs: typeof import("./views/jobs.ts");
}

declare global {
  /** Older browsers lack it. */
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL(text: string): string },
        ): { createScriptURL(text: string): unknown };
      }
    | undefined;
}

/** The hash of each view's script, by name. */
const HASHES = readHashes();
const OUTDATED = "The server no longer has this part of the page. Reload the page.";

const loads = new Map<string, Promise<unknown>>();
const arrived = new Map<string, unknown>();
/** Created once, before anything else runs: the page's policy allows only one of this name. */
const addresses = globalThis.trustedTypes?.createPolicy("pintle-views", { createScriptURL: viewAddress });

Object.assign(globalThis, {
  pintleViews: {
    /** Modules of the page; the build adds those that views import. */
    shared: {},
    /** Called by the script of a view. */
    arrive(name: string, view: unknown, style: string) {
      arrived.set(name, view);
      if (style === "") return;
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      document.adoptedStyleSheets.push(sheet);
    },
  },
});

/** Loads a view once. Rejects if that fails; the next call tries again. */
export function loadView<K extends keyof Views>(name: K): Promise<Views[K]> {
  const load = loads.get(name) ?? runScript(name);
  loads.set(name, load);
  load.catch(() => loads.delete(name));
  return load as Promise<Views[K]>; // the build names each script after its file
}

function runScript(name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const failed = () => reject(new Error(OUTDATED));
    const integrity = HASHES.get(name);
    if (integrity === undefined) return failed();
    script.integrity = integrity;
    script.src = (addresses?.createScriptURL(name) ?? viewAddress(name)) as string;
    script.addEventListener("error", failed);
    script.addEventListener("load", () => (arrived.has(name) ? resolve(arrived.get(name)) : failed()));
    document.head.append(script);
  });
}

/** Returns the address of a view's script. Throws for any other name: no other script is ever loaded. */
function viewAddress(name: string): string {
  if (!HASHES.has(name)) throw new Error(`The page has no view ${name}`);
  return `/view/${name}.js`;
}

/** The build writes them into the head of the page: `name hash name hash`. */
function readHashes(): ReadonlyMap<string, string> {
  const words = document.querySelector<HTMLMetaElement>('meta[name="pintle-views"]')?.content.split(" ") ?? [];
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ""] as const] : [])));
}
