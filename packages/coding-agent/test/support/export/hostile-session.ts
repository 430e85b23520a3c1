import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, createSample, type Sample, text } from "./sample-session.ts";

/** Each one would set `pwned`, request something from the network or break out of its element if it worked. */
export const HOSTILE = [
  "</script><script>window.pwned = 1</script>",
  "<!--<script>window.pwned = 1</script>-->",
  "<img src=x onerror='window.pwned = 1'>",
  "<svg onload='window.pwned = 1'><script>window.pwned = 1</script></svg>",
  "<iframe srcdoc='<script>top.pwned = 1</script>'></iframe>",
  "<a href='javascript:window.pwned = 1'>x</a><base href='https://evil.example/'>",
  "<style>* { display: none } @import url(https://evil.example/x.css)</style><link rel=stylesheet href=https://evil.example>",
  "<meta http-equiv=refresh content='0;url=https://evil.example'><form action=https://evil.example><button>go",
  "[x](javascript:window.pwned=1) [y](<javascript:window.pwned=1>) ![z](https://evil.example/pixel.png) [d](data:text/html,<script>1</script>)",
  '[a](https://ok.example "t\' onclick=\'window.pwned=1") <https://ok.example/" onmouseover=window.pwned=1>',
  "{{constructor.constructor('window.pwned=1')()}} `$" + "{window.pwned = 1}`",
  "\u202egnp.exe \u2066\u2067 \x1b[2J\x1b]0;owned\x07 \x1b[31mred \0 \x08\x7f\x9b",
  "\ud800 lone, \udfff lone, \ufffe, \u2028 \u2029",
  `long ${"x".repeat(1_000_000)}`,
  `${"> ".repeat(3000)}deep`,
  `${"- ".repeat(3000)}deep`,
  `${"[".repeat(5000)}x${"](#a)".repeat(5000)}`,
  `|${"a|".repeat(500)}\n|${"-|".repeat(500)}\n|${"b|".repeat(500)}`,
  "```html\n</code></pre><script>window.pwned = 1</script>\n```",
  "Z̸̧̛͓".repeat(300),
];

const TOOLS = ["bash", "read", "grep", "edit", "write", "todo_write", "ask", "resolve", "ast_edit"];

/** A session with markup, scripts, addresses and control characters in every field. */
export function createHostileSession(texts: readonly string[] = HOSTILE): { sample: Sample; file: string } {
  const sample = createSample({ images: "inline" });
  texts.forEach((evil, index) => {
    const id = `c${index}${evil.slice(0, 200)}`;
    sample.user(evil);
    sample.answer(
      [
        { type: "thinking", thinking: evil },
        text(evil),
        call(id, evil.slice(0, 60), { [evil.slice(0, 100)]: evil, path: evil, command: evil }),
        call(`q${index}`, "ask", { questions: [{ question: evil, options: [{ label: evil.slice(0, 100) }, evil] }] }),
      ],
      {
        model: evil.slice(0, 100),
        stopReason: "error",
        errorMessage: evil,
      },
    );
    // Long strings are combined with one tool each, or the page would take minutes.
    for (const name of evil.length > 10_000 ? [TOOLS[index % TOOLS.length] as string] : TOOLS) {
      const inner = `${name}-${index}`;
      sample.answer([
        call(inner, name, { command: evil, path: evil, pattern: evil, content: evil, oldText: "a", newText: evil }),
      ]);
      sample.result(inner, name, evil, {
        details: {
          diff: `@@ -1 +1 @@\n-${evil}\n+${evil}`,
          phases: [{ name: evil, tasks: [{ content: evil, status: evil }] }],
          results: [{ question: evil, selected: [evil] }],
          action: "apply",
          reason: evil,
          label: evil,
          sourceToolName: "ast_edit",
        },
      });
    }
    const data = index % 2 === 0 ? "onerror=alert(1)" : Buffer.from("<svg onload='top.pwned=1'/>").toString("base64");
    const mimeType =
      index % 3 === 0 ? 'image/png" onerror="window.pwned=1' : index % 3 === 1 ? "image/svg+xml" : "text/html";
    sample.add({ role: "user", content: [{ type: "image", data, mimeType }], timestamp: 1 });
    sample.add({
      role: "bashExecution",
      command: evil,
      output: evil,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    });
    sample.manager.appendCustom(evil.slice(0, 300), { evil });
    sample.manager.appendBranchSummary({ fromId: "root", summary: evil });
    sample.manager.setLabel(sample.manager.leafId as string, evil.slice(0, 300));
  });
  sample.manager.setName("</title><script>window.pwned = 1</script>");
  // Bytes that are not text, and ids that are not valid.
  const file = join(sample.directory, "hostile.jsonl");
  const stored = readFileSync(sample.manager.sessionFile as string);
  const last = JSON.parse(stored.toString().trimEnd().split("\n").at(-1) as string).id;
  const line = (id: string, parentId: string) =>
    JSON.stringify({ type: "message", id, parentId, timestamp: "<b>", message: { role: "user", content: id } });
  const badId = `"><img src=x onerror=window.pwned=1>'`;
  const broken = Buffer.from([0x22, 0xff, 0xfe, 0xc3, 0x28, 0x22]);
  const middle = Buffer.concat([
    Buffer.from(
      `{"type":"message","id":"bytes","parentId":"${last}","timestamp":"","message":{"role":"user","content":`,
    ),
    broken,
    Buffer.from("}}\n"),
  ]);
  writeFileSync(file, Buffer.concat([stored, middle, Buffer.from(`${line(badId, "bytes")}\n`)]));
  return { sample, file };
}
