import {
  type LocalModel,
  readLlamaCppProps,
  readLmStudioModels,
  readOllamaDetails,
  readOllamaTags,
  readOpenAiModels,
} from "./local-listings.ts";

export interface LocalServer {
  provider: string;
  /** Base URL of its OpenAI-compatible API. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
}

/** Sends one request. Returns undefined if there is no response, or it is not JSON. */
type Ask = (path: string, body?: object) => Promise<unknown>;

const MAX_DETAILED = 24;
const MAX_BYTES = 2 * 1024 * 1024;

const LISTERS: Readonly<Record<string, (ask: Ask) => Promise<LocalModel[] | undefined>>> = {
  ollama: async (ask) => {
    const models = readOllamaTags(await ask("/api/tags"));
    if (!models) return undefined;
    const detailed = models.slice(0, MAX_DETAILED).map(async (model) => {
      const details = readOllamaDetails(await ask("/api/show", { model: model.id }));
      return details ? [{ ...model, ...details }] : [];
    });
    return [...(await Promise.all(detailed)).flat(), ...models.slice(MAX_DETAILED)];
  },
  "lm-studio": async (ask) =>
    readLmStudioModels(await ask("/api/v0/models")) ?? readOpenAiModels(await ask("/v1/models")),
  "llama.cpp": async (ask) => {
    const [listed, props] = await Promise.all([ask("/v1/models"), ask("/props")]);
    const models = readOpenAiModels(listed);
    // A router of several models has no properties of its own.
    return models?.length === 1 ? models.map((model) => ({ ...model, ...readLlamaCppProps(props) })) : models;
  },
};

/** Returns what a server offers, best first, or undefined if nothing answers in time or it is not a model server. */
export async function listLocalModels(
  server: LocalServer,
  { signal }: { signal: AbortSignal },
): Promise<LocalModel[] | undefined> {
  const root = server.baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
  const ask: Ask = (path, body) => fetchJson(`${root}${path}`, server.headers, body, signal);
  const models = await LISTERS[server.provider]?.(ask);
  return models?.toSorted((a, b) => rank(a) - rank(b));
}

/** Ranks a model. The sort is stable, so the server's order decides between equals. */
function rank({ isLoaded = false, hasTools = true }: LocalModel): number {
  return (hasTools ? 0 : 2) + (isLoaded ? 0 : 1);
}

async function fetchJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: object | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: body ? "POST" : "GET",
      headers: { accept: "application/json", ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: "manual", // a server on this machine has no reason to redirect us
      signal,
    });
    if (response.ok) return JSON.parse(await readText(response));
    response.body?.cancel().catch(() => {}); // the body is not read
    return undefined;
  } catch {
    return undefined; // no server, too slow, or another kind of server
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new RangeError("the list is too long");
  }
  return text;
}
