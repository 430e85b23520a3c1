// A server with every feature but few tools: it asks its user, has prompts, resources and instructions. The same code speaks both
// protocols. --modern (refuses the older one), --bare (only its tools), --log FILE (the answers it received), --completes
// (repeatedly reports that the step at its address is complete), --instructions TEXT.
import { appendFileSync } from "node:fs";
import {
  type InputRequest,
  inputRequired,
  ProtocolError,
  Server,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const argv = process.argv.slice(2);
const has = (flag: string) => argv.includes(flag);
const valueAfter = (flag: string) => argv[argv.indexOf(flag) + 1] as string;
const log = (value: unknown) => {
  if (has("--log")) appendFileSync(valueAfter("--log"), `${JSON.stringify(value)}\n`);
};

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const object = (properties: Record<string, Record<string, string>> = {}) => ({ type: "object" as const, properties });
const says = (text: string) => ({ content: [{ type: "text" as const, text }] });

const TOOLS = [
  { name: "form", description: "Asks for the fields of a schema", inputSchema: object({ schema: {}, message: {} }) },
  { name: "two", description: "Asks two questions at once", inputSchema: object() },
  { name: "address", description: "Sends the user to an address", inputSchema: object({ url: {} }) },
  { name: "locked", description: "Works when the user was at an address", inputSchema: object() },
  { name: "grow", description: "Brings another prompt", inputSchema: object() },
];

const PROMPTS = [
  {
    name: "review",
    description: "Reviews a file",
    arguments: [{ name: "path", description: "which", required: true }, { name: "focus" }],
  },
  { name: "image", description: "Shows an image" },
];

const NOTE = "x".repeat(30);
const RESOURCES: Record<string, { name: string; mimeType: string; text?: string; blob?: string }> = {
  "note://one": { name: "one", mimeType: "text/plain", text: `the first note ${NOTE}` },
  "note://long": { name: "long", mimeType: "text/plain", text: "a line of the long note\n".repeat(5_000) },
  "note://pixel": { name: "pixel", mimeType: "image/png", blob: PIXEL },
  "note://data": {
    name: "data",
    mimeType: "application/octet-stream",
    blob: Buffer.from("bytes\0bytes").toString("base64"),
  },
};

let isUnlocked = false;

function create(): Server {
  const isBare = has("--bare");
  const further = { prompts: { listChanged: true }, resources: { listChanged: true } };
  const server = new Server(
    { name: "full", version: "1" },
    {
      capabilities: { tools: {}, ...(!isBare && further) },
      ...(has("--instructions") && { instructions: valueAfter("--instructions") }),
    },
  );
  const prompts = [...PROMPTS];
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const args = params.arguments ?? {};
    const { inputResponses } = mcpReq;
    const ask = (inputRequests: Record<string, InputRequest>) => {
      if (!inputResponses) return inputRequired({ inputRequests });
      log(inputResponses);
      return says(JSON.stringify(inputResponses));
    };
    const form = (message: unknown, requestedSchema: unknown) =>
      inputRequired.elicit({ message: String(message), requestedSchema: requestedSchema as never });
    switch (params.name) {
      case "form":
        return ask({ answer: form(args.message, args.schema) });
      case "two": {
        const yes = object({ ok: { type: "boolean" } });
        return ask({ a: form("First?", yes), b: form("Second?", yes) });
      }
      case "address":
        return ask({ answer: inputRequired.elicitUrl({ message: "Log in there", url: String(args.url) }) });
      case "locked":
        if (isUnlocked) return says("open");
        isUnlocked = true;
        if (has("--completes")) {
          const notice = { method: "notifications/elicitation/complete", params: { elicitationId: "e1" } } as const;
          setInterval(() => void server.notification(notice), 20).unref();
        }
        throw new UrlElicitationRequiredError([
          { mode: "url", message: "Unlock it", url: "https://example.com/unlock", elicitationId: "e1" },
        ]);
      case "grow":
        prompts.push({ name: `grown ${prompts.length}`, description: "Came later" });
        await server.sendPromptListChanged();
        return says("grown");
      default:
        throw new Error(`there is no tool ${params.name}`);
    }
  });
  if (isBare) return server;
  server.setRequestHandler("prompts/list", () => ({ prompts }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    if (params.name === "image") {
      return {
        messages: [
          { role: "user", content: { type: "text", text: "What is this?" } },
          { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
          { role: "assistant", content: { type: "text", text: "A dot." } },
          {
            role: "user",
            content: { type: "resource", resource: { uri: "note://one", mimeType: "text/plain", text: "a note" } },
          },
        ],
      };
    }
    if (params.name !== "review" || params.arguments?.path === "nowhere")
      throw new ProtocolError(-32602, `no prompt ${params.name}`);
    const text = `Review ${params.arguments?.path} for ${params.arguments?.focus ?? "everything"}`;
    return { messages: [{ role: "user", content: { type: "text", text } }] };
  });
  server.setRequestHandler("resources/list", () => ({
    resources: Object.entries(RESOURCES).map(([uri, { name, mimeType }]) => ({ uri, name, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "note://by-name/{name}", name: "by name", description: "A note by its name" }],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    if (uri === "note://never") await new Promise(() => {});
    const byName = /^note:\/\/by-name\/(\w+)$/.exec(uri)?.[1];
    const found = byName === undefined ? RESOURCES[uri] : { mimeType: "text/plain", text: `the note ${byName}` };
    if (!found) throw new ProtocolError(-32602, `no resource ${uri}`);
    const { mimeType, text, blob } = { blob: undefined, ...found };
    return { contents: [{ uri, mimeType, ...(text === undefined ? { blob: blob ?? "" } : { text }) }] };
  });
  return server;
}

log("started");
serveStdio(create, { legacy: has("--modern") ? "reject" : "serve" });
