import { describeFaults } from "../../support/fault-matrix.ts";
import { call, chunk, event, gemini, last } from "../../support/protocols/google-generative-ai/samples.ts";

describeFaults("google-generative-ai", {
  model: (baseUrl) => ({ ...gemini, baseUrl: `${baseUrl}/v1beta` }),
  text: [
    chunk({ text: "**Grüße**\n\n", thought: true }),
    chunk({ text: "Hä" }),
    chunk({ text: "llo wörld " }, { text: "🌍" }),
    last("STOP", [{ text: "", thoughtSignature: "EjQKMgEMOdbHabc=" }]),
  ].join(""),
  toolCall: [
    chunk({ text: "Thinking about it", thought: true }),
    chunk(call("read", { path: "a.txt" }, { thoughtSignature: "EjQKMgEMOdbHabc=" })),
    last("STOP"),
  ].join(""),
  interleavedToolCalls: [
    chunk(call("read", { path: "a.txt" }, { thoughtSignature: "EjQKMgEMOdbHabc=" }), call("grep", { pattern: "x" })),
    last("STOP", [{ text: "" }]),
  ].join(""),
  errorInStream: [
    chunk({ text: "Hal" }),
    event({ error: { code: 503, message: "The model is overloaded. Please try again later.", status: "UNAVAILABLE" } }),
  ].join(""),
  empty: last("STOP"),
  unknownEvent: 'event: progress\ndata: {"progress":{"percent":12}}\n\n',
  errorBody: (status, message) =>
    JSON.stringify({
      error: {
        code: status,
        message,
        status: NAMES[status] ?? "INTERNAL",
        errors: [{ message, domain: "global", reason: REASONS[status] ?? "backendError" }],
      },
    }),
});

const REASONS: Record<number, string> = { 400: "badRequest", 403: "forbidden", 429: "rateLimitExceeded" };
const NAMES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};
