// A tool that calls an HTTP service directly. The address is set when pintle starts:
//   ISSUES_URL=http://127.0.0.1:9 pintle --extension examples/extensions/http-tool.ts -p 'call find_issues {"words":"crash"}'
// The model chooses the search words, never the address; the answer is checked and truncated before the model reads it.
import type { ExtensionFactory } from "pintle";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;
const MAX_ISSUES = 20;

interface Issue {
  id: number;
  title: string;
}

const extension: ExtensionFactory = (pi) => {
  const { Type } = pi.typebox;

  pi.registerTool({
    name: "find_issues",
    label: "Find issues",
    description: "Searches the issue tracker.",
    promptSnippet: "search the issue tracker",
    parameters: Type.Object({ words: Type.String({ minLength: 1 }) }),
    async execute(_toolCallId, { words }, signal) {
      const service = process.env.ISSUES_URL;
      if (service === undefined) throw new Error("ISSUES_URL is not set");
      const url = new URL("/issues", service);
      url.searchParams.set("q", words);
      const limits = [AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])];
      const response = await fetch(url, {
        headers: {
          accept: "application/json",
          ...(process.env.ISSUES_TOKEN && { authorization: `Bearer ${process.env.ISSUES_TOKEN}` }),
        },
        signal: AbortSignal.any(limits),
        redirect: "error", // the token is for this service
      });
      if (!response.ok) throw new Error(`The issue tracker answered ${response.status}`);
      const issues = parseIssues(await limitedText(response)).slice(0, MAX_ISSUES);
      const lines = issues.map(({ id, title }) => `#${id} ${title}`);
      return { content: [{ type: "text", text: lines.join("\n") || "No issue matches." }], details: { issues } };
    },
  });
};

/** Throws before more than the limit is in memory. */
async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error("The answer of the issue tracker is too long");
  }
  return text + decoder.decode();
}

function parseIssues(text: string): Issue[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new Error("The issue tracker did not return a list");
  return value.flatMap(({ id, title } = {}) =>
    typeof id === "number" && typeof title === "string" ? [{ id, title }] : [],
  );
}

export default extension;
