// Captures the first request of a session and writes docs/first-request.md: `node scripts/bun.mjs scripts/first-request.ts`.
import { writeFileSync } from "node:fs";
import {
  firstRequestPage,
  firstRequestWithJobs,
} from "../packages/coding-agent/test/support/session/first-request-page.ts";

const { page, bytes } = await firstRequestPage();
writeFileSync(new URL("../docs/first-request.md", import.meta.url), page);
process.stdout.write(`wrote docs/first-request.md: a request of ${bytes} bytes\n`);

const withJobs = await firstRequestWithJobs();
process.stdout.write(
  `with async work: ${withJobs.bytes} bytes, of which task and job are ${withJobs.delegation} bytes\n`,
);
