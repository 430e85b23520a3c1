import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

// Runs at build time only: the bundler replaces calls with their results.

export interface PageBundle {
  script: string;
  style: string;
  /** For a content security policy: nothing else runs and nothing else styles. */
  scriptHash: string;
  styleHash: string;
}

/** The exported page, and the grammars that it may need, as JSON by language. */
export function bundlePage(): PageBundle & { grammars: Record<string, string> } {
  return { ...makeBundle("main.ts", "page.css"), grammars: readGrammars() };
}

export interface LivePageBundle {
  /** The whole document, compressed; both are base64. */
  brotli: string;
  gzip: string;
  etag: string;
  policy: string;
  /** What the page loads when it needs it, by path: JSON, compressed with gzip, in base64. */
  files: Record<string, string>;
}

/** The live page as one document. It loads nothing else but the grammars of rare languages. */
export function bundleLivePage(): LivePageBundle {
  const { script, style, scriptHash, styleHash } = makeBundle("live/main.ts", "live/live.css");
  const html = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='%233556c4'/%3E%3Ccircle cx='8' cy='8' r='2' fill='%23fff'/%3E%3C/svg%3E">
<title>pintle</title>
<style>${style}</style>
</head>
<body>
<noscript><p class="no-script">This page shows sessions with a script that is part of it.</p></noscript>
<script>${script}</script>
</body>
</html>
`);
  const grammars = readGrammars();
  const brotli = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: html.length } });
  return {
    brotli: brotli.toString("base64"),
    gzip: gzipSync(html, { level: 9 }).toString("base64"),
    etag: `"${createHash("sha256").update(html).update(JSON.stringify(grammars)).digest("hex").slice(0, 32)}"`,
    policy: [
      "default-src 'none'",
      `script-src '${scriptHash}'`,
      `style-src '${styleHash}'`,
      "img-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      // The script creates elements and text nodes, never markup. These two directives make the browser enforce that.
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join("; "),
    files: Object.fromEntries(
      Object.entries(grammars).map(([language, json]) => [
        `grammar/${language}.json`,
        gzipSync(json, { level: 9 }).toString("base64"),
      ]),
    ),
  };
}

function readGrammars(): Record<string, string> {
  const script = fileURLToPath(import.meta.resolve("@pintle/highlight/print-grammars"));
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
  if (!success) throw new Error(`The grammars cannot be read: ${stderr.toString()}`);
  const grammars: Record<string, unknown> = JSON.parse(stdout.toString());
  return Object.fromEntries(Object.entries(grammars).map(([language, data]) => [language, JSON.stringify(data)]));
}

function makeBundle(scriptFile: string, styleFile: string): PageBundle {
  const script = inertTags(bundle(scriptFile));
  const style = bundle(styleFile);
  return { script, style, scriptHash: sourceHash(script), styleHash: sourceHash(style) };
}

function bundle(file: string): string {
  const args = ["build", `${import.meta.dir}/src/${file}`, "--minify", "--target=browser", "--format=iife"];
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, ...args]);
  if (!success) throw new Error(`The page cannot be built: ${stderr.toString()}`);
  return stdout.toString().trim();
}

/** These would end the script element, or change how its end is found. In code they occur only in strings. */
function inertTags(code: string): string {
  return code.replace(/<(?=\/script|script|!--)/gi, "\\x3c");
}

function sourceHash(source: string): string {
  return `sha256-${createHash("sha256").update(source).digest("base64")}`;
}
