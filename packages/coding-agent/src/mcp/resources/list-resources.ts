import { errorText, isRecord } from "@pintle/ai";
import { plainLine } from "@pintle/foundation";
import type { ResourceServer } from "./resource-server.ts";

export interface ListedResource {
  server: string;
  /** For a template, contains placeholders in braces. */
  uri: string;
  isTemplate: boolean;
  /** Name, type and description, as far as the server provides them. */
  about: string;
}

export interface ResourceList {
  resources: ListedResource[];
  /** What is missing from the list, and why. */
  faults: string[];
}

const MAX_RESOURCES = 1_000;
const MAX_PAGES = 50;
const MAX_URI = 2_048;
const MAX_ABOUT = 300;

const KINDS = [
  { method: "resources/list", key: "resources", uri: "uri", isTemplate: false },
  { method: "resources/templates/list", key: "resourceTemplates", uri: "uriTemplate", isTemplate: true },
] as const;

/** Lists the resources of all these servers in parallel. Rejects only when the signal aborts. */
export async function listResources(servers: readonly ResourceServer[], signal: AbortSignal): Promise<ResourceList> {
  const lists = await Promise.all(
    servers.flatMap((server) =>
      KINDS.map(async (kind): Promise<ResourceList> => {
        try {
          return { resources: await listKind(server, kind, signal), faults: [] };
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          // Many servers without templates answer with an error.
          return { resources: [], faults: kind.isTemplate ? [] : [errorText(error)] };
        }
      }),
    ),
  );
  return { resources: lists.flatMap(({ resources }) => resources), faults: lists.flatMap(({ faults }) => faults) };
}

async function listKind(
  server: ResourceServer,
  { method, key, uri, isTemplate }: (typeof KINDS)[number],
  signal: AbortSignal,
): Promise<ListedResource[]> {
  const found: ListedResource[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES && found.length < MAX_RESOURCES; page += 1) {
    const answer = await server.ask(method, page === 0 ? {} : { cursor }, signal);
    const entries: unknown[] = Array.isArray(answer[key]) ? answer[key] : [];
    for (const entry of entries) {
      const address = isRecord(entry) ? entry[uri] : undefined;
      if (!isRecord(entry) || typeof address !== "string" || address.length > MAX_URI) continue;
      found.push({ server: server.name, uri: plainLine(address), isTemplate, about: describe(entry, address) });
    }
    cursor = answer.nextCursor;
    if (typeof cursor !== "string" || cursor === "") break;
  }
  return found.slice(0, MAX_RESOURCES);
}

function describe({ name, title, description, mimeType }: Record<string, unknown>, uri: string): string {
  const texts = [title ?? name, mimeType, description].map((text) => (typeof text === "string" ? plainLine(text) : ""));
  const parts = texts.filter((text) => text !== "" && text !== uri);
  return parts.join(", ").slice(0, MAX_ABOUT);
}
