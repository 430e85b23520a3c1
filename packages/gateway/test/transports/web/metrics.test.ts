import { expect, test } from "bun:test";
import { metricsText } from "../../../src/transports/web/metrics.ts";
import { serverState } from "../../support/server-state.ts";

const text = metricsText({
  state: serverState(),
  connections: {
    open: { stdio: 0, socket: 1, node: 0, websocket: 2 },
    accepted: 5,
    refused: 1,
    lagged: 1,
    framesIn: 10,
    framesOut: 20,
    charsOut: 300,
    queuedBytes: 7,
  },
  authFailures: 4,
  store: {
    takeovers: 2,
    commits: 10,
    commitSeconds: 0.25,
    jobs: { queued: 7, running: 1, dead: 3 },
    oldestWaitSeconds: 12.5,
  },
});

test("every family has its type and help, samples follow it, and the text has its end", () => {
  const lines = text.split("\n");
  expect(lines.splice(-2)).toEqual(["# EOF", ""]);
  let family = "";
  const seen = new Set<string>();
  for (const line of lines) {
    const about = /^# (TYPE|UNIT|HELP) (\S+) (.+)$/.exec(line);
    if (about?.[1] === "TYPE") {
      expect(seen.has(about[2]!)).toBe(false);
      family = about[2]!;
      seen.add(family);
    } else if (about) expect(about[2]).toBe(family);
    else {
      expect(line).toMatch(/^[a-z_]+(\{[a-z]+="[a-z]+"\})? \d+(\.\d+)?$/);
      expect([family, `${family}_total`, `${family}_count`, `${family}_sum`]).toContain(
        /^[a-z_]+/.exec(line)?.[0] ?? "",
      );
    }
    if (about?.[1] === "UNIT") expect(family.endsWith(`_${about[3]}`)).toBe(true);
  }
  expect(seen.size).toBeGreaterThan(10);
});

test("the figures are those of the server", () => {
  expect(text).toContain('pintle_connections{transport="websocket"} 2\n');
  expect(text).toContain("pintle_auth_failures_total 4\n");
  expect(text).toContain('pintle_sessions{status="running"} 2\n');
  expect(text).toContain("pintle_connections_lagged_total 1\n");
  expect(text).toContain('pintle_jobs{status="queued"} 7\n');
  expect(text).toContain("pintle_jobs_oldest_wait_seconds 12.5\n");
  expect(text).toContain("pintle_takeovers_total 2\n");
  expect(text).toContain("pintle_store_commit_seconds_count 10\npintle_store_commit_seconds_sum 0.25\n");
});
