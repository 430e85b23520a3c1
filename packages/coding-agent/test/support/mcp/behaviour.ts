import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";

const object = (properties: Record<string, object> = {}, required: string[] = []) => ({
  type: "object" as const,
  properties,
  required,
});
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const TOOLS: Tool[] = [
  {
    name: "echo",
    title: "Echo",
    description: "Repeats a text",
    inputSchema: object({ text: { type: "string" } }, ["text"]),
  },
  { name: "fail", inputSchema: object() },
  { name: "kinds", inputSchema: object() },
  { name: "lines", inputSchema: object({ count: { type: "number" } }) },
  { name: "surroundings", inputSchema: object({ names: { type: "array", items: { type: "string" } } }) },
  { name: "wait", description: "Reports progress and never ends", inputSchema: object() },
  { name: "die", inputSchema: object() },
  { name: "grow", description: "Brings another tool", inputSchema: object() },
];

/** Schemas and entries that no provider would accept. */
const FAULTY: unknown[] = [
  { name: "list", inputSchema: { type: "array" } },
  { name: "lost", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/none" } } } },
  { name: "endless", inputSchema: { type: "object", properties: { a: { $ref: "#/properties/a" } } } },
  { name: "typo", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
  { name: "huge", inputSchema: { type: "object", properties: { ["x".repeat(70_000)]: {} } } },
  { name: "", inputSchema: { type: "object" } },
  { inputSchema: { type: "object" } },
  "no tool",
  { name: "echo", inputSchema: { type: "object" } },
  { name: "schemaless" },
];

export interface Behaviour {
  /** This many additional tools. */
  many?: number;
  pageSize?: number;
  hasFaulty?: boolean;
  /** Called for every tool call that ended because the client cancelled it. */
  onCancelled?(): void;
}

/** Creates a server with the official library, with tools for everything that can happen to a call. */
export function createTestServer({
  many = 0,
  pageSize = 10_000,
  hasFaulty = false,
  onCancelled,
}: Behaviour = {}): Server {
  const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: { listChanged: true } } });
  const further = Array.from(
    { length: many },
    (_, index): Tool => ({
      name: `many_${index}`,
      inputSchema: object({ [`p${index}`]: { type: "string", pattern: "^[a-z]+$" } }),
    }),
  );
  const tools: unknown[] = [...TOOLS, ...further, ...(hasFaulty ? FAULTY : [])];
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const end = start + pageSize;
    return {
      tools: tools.slice(start, end) as Tool[],
      ...(end < tools.length && { nextCursor: String(end) }),
    };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const args = params.arguments ?? {};
    const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
    switch (params.name) {
      case "echo":
        return says(`echo: ${args.text}`);
      case "fail":
        return { ...says("it went wrong"), isError: true };
      case "lines":
        return says(Array.from({ length: Number(args.count) }, (_, index) => `line ${index + 1}`).join("\n"));
      case "surroundings": {
        const names = (args.names ?? []) as string[];
        const env = Object.fromEntries(names.map((name) => [name, process.env[name] ?? null]));
        return says(JSON.stringify({ cwd: process.cwd(), pid: process.pid, env, meta: params._meta }));
      }
      case "kinds":
        return {
          content: [
            { type: "text", text: "one\u001b[31m" },
            { type: "text", text: "two" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
            { type: "audio", data: "AAAA", mimeType: "audio/wav" },
            { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } },
            { type: "resource", resource: { uri: "file:///b.bin", mimeType: "application/x", blob: "AAAA" } },
            { type: "resource_link", uri: "file:///c.txt", name: "c" },
          ],
          structuredContent: { answer: 42 },
        };
      case "wait": {
        const progressToken = params._meta?.progressToken;
        if (progressToken !== undefined) {
          const state = { progressToken, progress: 1, total: 4, message: "at work" };
          await sendNotification({ method: "notifications/progress", params: state });
        }
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        onCancelled?.();
        return says("never read");
      }
      case "die":
        console.error("the server has had enough");
        return process.exit(3);
      case "grow":
        tools.push({ name: `grown_${tools.length}`, inputSchema: object() });
        await server.sendToolListChanged();
        return says("grown");
      default:
        throw new Error(`there is no tool ${params.name}`);
    }
  });
  return server;
}
