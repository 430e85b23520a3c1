import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { LiveScripts } from "./bundle-live.ts";

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
  /** What the page loads when it needs it, by path: scripts and JSON, compressed with gzip, in base64. */
  files: Record<string, string>;
}

/** The live page as one document. It loads its views, and the grammars of rare languages, when it needs them. */
export function bundleLivePage(): LivePageBundle {
  const { page, views } = bundleScripts();
  const { script, style, scriptHash, styleHash } = hashBundle(page, bundle("live/live.css"));
  const viewHashes = Object.entries(views).map(([name, code]) => [name, sourceHash(code)] as const);
  const html = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="pintle-views" content="${viewHashes.flat().join(" ")}">
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
  const files = {
    ...byPath(readGrammars(), (language) => `grammar/${language}.json`),
    ...byPath(views, (name) => `view/${name}.js`),
  };
  const brotli = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: html.length } });
  return {
    brotli: brotli.toString("base64"),
    gzip: gzipSync(html, { level: 9 }).toString("base64"),
    etag: `"${createHash("sha256").update(html).update(JSON.stringify(files)).digest("hex").slice(0, 32)}"`,
    policy: [
      "default-src 'none'",
      // Scripts of views are loaded with their hash as `integrity`, so that only these exact scripts run.
      `script-src ${[scriptHash, ...viewHashes.map(([, hash]) => hash)].map((hash) => `'${hash}'`).join(" ")}`,
      `style-src '${styleHash}'`,
      "img-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      // The script creates elements and text nodes, never markup. These two directives make the browser enforce that; the
      // one policy makes addresses of views.
      "require-trusted-types-for 'script'",
      "trusted-types pintle-views",
    ].join("; "),
    files: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, gzipSync(content, { level: 9 }).toString("base64")]),
    ),
  };
}

function byPath(contents: Record<string, string>, path: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(contents).map(([name, content]) => [path(name), content]));
}

function bundleScripts(): LiveScripts {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, `${import.meta.dir}/bundle-live.ts`]);
  if (!success) throw new Error(`The page cannot be built: ${stderr.toString()}`);
  return JSON.parse(stdout.toString());
}

function readGrammars(): Record<string, string> {
  const script = fileURLToPath(import.meta.resolve("@pintle/highlight/print-grammars"));
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, script]);
  if (!success) throw new Error(`The grammars cannot be read: ${stderr.toString()}`);
  const grammars: Record<string, unknown> = JSON.parse(stdout.toString());
  return Object.fromEntries(Object.entries(grammars).map(([language, data]) => [language, JSON.stringify(data)]));
}

function makeBundle(scriptFile: string, styleFile: string): PageBundle {
  return hashBundle(bundle(scriptFile), bundle(styleFile));
}

function hashBundle(code: string, style: string): PageBundle {
  const script = inertTags(code.trim());
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
