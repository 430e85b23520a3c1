// The official conformance suites and servers of MCP.
import { isMain } from "../paths.mjs";
import { ensurePackages } from "./separate-packages.mjs";

export function ensureMcpSuites(options) {
  const source = "packages/coding-agent/test/support/mcp-official";
  return ensurePackages({ source, name: "pintle-mcp-official", title: "the official MCP suites" }, options);
}

// To be run by hand before a single test file.
if (isMain(import.meta.url)) await ensureMcpSuites();
