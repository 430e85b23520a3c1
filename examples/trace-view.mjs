// A receiver of OpenTelemetry traces that shows each run as a tree: `node examples/trace-view.mjs [port]`, then start pintle
// with OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318. With `--svg FILE` the last run is also drawn.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

const words = process.argv.slice(2);
const svgAt = words.indexOf("--svg");
const svgFile = svgAt < 0 ? undefined : words.splice(svgAt, 2)[1];
const port = Number(words[0] ?? 4318);
const traces = new Map();

createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
    if (request.url !== "/v1/traces") return;
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))) take(span);
  });
}).listen(port, "127.0.0.1", function () {
  console.log(`waiting for traces at http://127.0.0.1:${this.address().port}`);
});

/** Spans are sent when they end, so the run itself comes last. */
function take(span) {
  const spans = traces.get(span.traceId) ?? [];
  spans.push(span);
  traces.set(span.traceId, spans);
  if (!span.name.startsWith("invoke_agent")) return;
  traces.delete(span.traceId);
  const rows = below(spans, span, 0);
  for (const { one, depth } of rows)
    console.log(`${"  ".repeat(depth)}${one.name}  ${ms(one).toFixed(1)} ms${note(one)}`);
  if (svgFile) writeFileSync(svgFile, draw(rows, span));
}

function below(spans, one, depth) {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === one.spanId).sort((a, b) => start(a) - start(b));
  return [{ one, depth }, ...children.flatMap((child) => below(spans, child, depth + 1))];
}

const start = ({ startTimeUnixNano }) => Number(BigInt(startTimeUnixNano) / 1000n) / 1000;
const end = ({ endTimeUnixNano }) => Number(BigInt(endTimeUnixNano) / 1000n) / 1000;
const ms = (span) => end(span) - start(span);
const attribute = ({ attributes }, name) => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value && (value.intValue ?? value.doubleValue ?? value.stringValue);
};

function note(span) {
  const tokens = attribute(span, "gen_ai.usage.input_tokens");
  const error = attribute(span, "error.type");
  const parts = [
    tokens && `${tokens} → ${attribute(span, "gen_ai.usage.output_tokens")} tokens`,
    error && `error: ${error}`,
  ];
  return parts
    .filter(Boolean)
    .map((part) => `  (${part})`)
    .join("");
}

const COLOURS = {
  invoke_agent: "#6b7280",
  chat: "#2563eb",
  execute_tool: "#059669",
  wait: "#d97706",
  compaction: "#7c3aed",
};
const escaped = (text) => text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);

function draw(rows, run) {
  const [width, row, from, total] = [900, 26, 240, Math.max(ms(run), 0.001)];
  const bars = rows.map(({ one, depth }, index) => {
    const x = from + ((start(one) - start(run)) / total) * (width - from - 90);
    const w = Math.max(2, (ms(one) / total) * (width - from - 90));
    const y = index * row + 6;
    const colour = COLOURS[one.name.split(" ")[0]] ?? "#6b7280";
    return `<text x="${8 + depth * 14}" y="${y + 12}">${escaped(one.name)}</text><rect x="${x.toFixed(1)}" y="${y}" width="${w.toFixed(1)}" height="15" rx="3" fill="${colour}"/><text x="${(x + w + 5).toFixed(1)}" y="${y + 12}" class="t">${ms(one).toFixed(1)} ms</text>`;
  });
  const style = "text{font:12px system-ui,sans-serif;fill:#111}.t{fill:#555}";
  const height = rows.length * row + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run as spans"><style>${style}</style><rect width="${width}" height="${height}" fill="#fff"/>${bars.join("")}</svg>\n`;
}
