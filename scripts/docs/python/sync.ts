import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { handlerNames } from "./handlers.ts";
import { moduleText } from "./types.ts";

// python/pintle/_sync_methods.py: the methods of the asyncio client for programs without asyncio. Each waits for its answer.

export const PYTHON_SYNC_PATH = "python/pintle/_sync_methods.py";

const SUMMARY =
  "The methods of the asyncio client for programs without asyncio: each blocks until its result is there.";

const root = resolve(import.meta.dir, "../../..");

interface Source {
  module: string;
  /** The asyncio class. */
  of: string;
  /** The class to write. */
  name: string;
  /** The attribute that holds an object of the asyncio class. */
  attribute: string;
  /**
   * Methods that sync.py defines itself, because they start or end a thread, and those that programs without asyncio do
   * not need.
   */
  besides: readonly string[];
  /** A base class with more methods of the asyncio class. */
  base?: { module: string; of: string };
}

const SOURCES: readonly Source[] = [
  {
    module: "session",
    of: "Session",
    name: "SyncSessionMethods",
    attribute: "_session",
    besides: ["connect", "collect_events"],
    base: { module: "handlers", of: "QuestionMethods" },
  },
  {
    module: "gateway",
    of: "GatewaySession",
    name: "SyncGatewaySessionMethods",
    attribute: "_served",
    besides: ["introduce"],
  },
  { module: "client", of: "Client", name: "SyncClientMethods", attribute: "_client", besides: ["start", "stop"] },
  {
    module: "gateway",
    of: "GatewayClient",
    name: "SyncGatewayMethods",
    attribute: "_gateway",
    besides: ["connect", "request", "sessions", "on_state", "on_protocol_error"],
  },
];

/** Types that the methods name, by the module that exports them. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "._faults": ["FaultListener"],
  "._process": ["ExitStatus"],
  ".client": ["Client"],
  ".gateway": ["GatewayClient", "GatewaySession", "Since"],
  ".handlers": [...handlerNames(), "Remove"],
  ".questions": ["BudgetHandler", "PreviewHandler"],
  ".session": ["IDLE_TIMEOUT", "EventListener", "Session", "UpdateMode"],
  ".tools": ["HostTool"],
};

/** How a class that opens sessions presents them. */
const OPENING = `    def _opened(self, session: GatewaySession) -> S:
        raise NotImplementedError`;

const METHOD =
  /^((?: {4}@\w+\n)*) {4}(async )?def ([a-z]\w*)\(((?:[^()]|\([^()]*\))*)\) -> ([^\n]+):\n((?: {8}"""[\s\S]*?"""\n)?)/gm;

export function renderPythonSync(): string {
  const classes = SOURCES.map(classText);
  const body = classes.join("\n");
  const own = Object.entries(MODULES).flatMap(([module, names]) => {
    const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
    return used.length === 0 ? [] : [`from ${module} import ${used.join(", ")}`];
  });
  const imports = ["from . import protocol as p", "from . import results", ...own];
  return moduleText(SUMMARY, imports, ['S = TypeVar("S")\nT = TypeVar("T")', ...classes], "the asyncio client");
}

/** The body of a class. */
function bodyOf({ module, of }: Pick<Source, "module" | "of">): string {
  const text = readFileSync(join(root, `python/pintle/${module}.py`), "utf8");
  const start = text.search(new RegExp(`^class ${of}\\b`, "m"));
  const rest = text.slice(text.indexOf("\n", start) + 1);
  const end = rest.search(/^\S/m);
  return end === -1 ? rest : rest.slice(0, end);
}

function classText({ module, of, name, attribute, besides, base }: Source): string {
  const text = `${base ? bodyOf(base) : ""}\n${bodyOf({ module, of })}`;
  const methods = [...text.matchAll(METHOD)].flatMap((match) => {
    const [, decorators = "", asynchronous, method = "", parameters = "", result = "", doc = ""] = match;
    const isProperty = decorators.includes("@property");
    const isListener = method.startsWith("on_") || method === "on" ? result === "Remove" : false;
    if (decorators.includes("@overload") || besides.includes(method)) return [];
    if (!isProperty && !asynchronous && !isListener) return [];
    return [methodText({ method, parameters, result, doc, attribute, isProperty, isListener })];
  });
  const overloaded = new Set([...text.matchAll(/@overload\n {4}(?:async )?def (\w+)/g)].map(([, method]) => method));
  const own = methods.filter(({ method }) => !overloaded.has(method));
  const opens = own.some(({ opens }) => opens);
  const needsInstall = own.some(({ isListener }) => isListener);
  const parts = [
    `class ${name}${opens ? "(Generic[S])" : ""}:\n    ${attribute}: ${of}`,
    "    def _wait(self, answer: Awaitable[T]) -> T:\n        raise NotImplementedError",
    ...(needsInstall
      ? ["    def _install(self, install: Callable[[], Remove]) -> Remove:\n        raise NotImplementedError"]
      : []),
    ...(opens ? [OPENING] : []),
    ...own.map(({ text }) => text),
  ];
  return parts.join("\n\n");
}

interface Method {
  method: string;
  parameters: string;
  result: string;
  doc: string;
  attribute: string;
  isProperty: boolean;
  isListener: boolean;
}

function methodText({ method, parameters, result, doc, attribute, isProperty, isListener }: Method) {
  const opens = result === '"GatewaySession"' || result === "GatewaySession";
  const head = `    def ${method}(${parameters}) -> ${opens ? "S" : result}:\n${doc}`;
  const call = `self.${attribute}.${method}`;
  const work = isProperty
    ? call
    : isListener
      ? `self._install(lambda: ${call}(${argumentsOf(parameters)}))`
      : `self._wait(${call}(${argumentsOf(parameters)}))`;
  const value = opens ? `self._opened(${work})` : work;
  const statement = result === "None" ? value : `return ${value}`;
  return {
    method,
    isListener,
    opens,
    text: `${isProperty ? "    @property\n" : ""}${head}        ${statement}`,
  };
}

/** Passes each parameter on: by position before the `*`, by name after it. */
function argumentsOf(parameters: string): string {
  const names = topLevelParts(parameters).map((part) => (/^\s*(\*|\w+)/.exec(part) ?? [])[1] ?? "");
  const star = names.indexOf("*");
  return names
    .map((name, index) => (name !== "" && star !== -1 && index > star ? `${name}=${name}` : name))
    .filter((name) => name !== "" && name !== "self" && name !== "*")
    .join(", ");
}

function topLevelParts(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "(" || char === "{") depth += 1;
    if (char === "]" || char === ")" || char === "}") depth -= 1;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}
