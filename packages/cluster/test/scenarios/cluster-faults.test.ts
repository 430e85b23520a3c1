import { expect, test } from "bun:test";
import { audit } from "../support/audit/audit.ts";
import { readEvidence } from "../support/audit/read-evidence.ts";
import type { TestCluster } from "../support/cluster/cluster.ts";
import { runFaults } from "../support/faults/fault-run.ts";
import { FAULTS } from "../support/faults/faults.ts";
import { debianPostgres, npmPostgres, type PostgresBuild } from "../support/postgres/postgres-builds.ts";
import { describeWithPostgres } from "../support/postgres/with-postgres.ts";

/** Detects hangs: a busy machine may take several times as long as an idle one. */
const PATIENCE_MS = 280_000;
/** Every kind of fault happens once; fewer with the second version of the server. `bench/soak` runs as many as you like. */
const FAULT_COUNTS = { npm: Object.keys(FAULTS).length, Debian: 8 };
const SEED = Number(process.env.PINTLE_FAULT_SEED ?? 20_261);

/** Damage that a broken program could have left in the tables, and the rule that must detect it. */
const BROKEN: [rule: string, sql: string][] = [
  [
    "promptsOnce",
    "DELETE FROM pintle.commands WHERE (session_id, command_key) IN (SELECT session_id, command_key FROM pintle.commands WHERE command_key LIKE 'h0-%' LIMIT 1)",
  ],
  ["oneChain", "UPDATE pintle.entries SET position = position + 1000 WHERE position = 3"],
  ["appendOnly", "UPDATE pintle.entries SET line = line WHERE position = 1"],
  ["risingFences", "UPDATE pintle.entries SET fence = 99 WHERE position = 1"],
  [
    "oneOwner",
    "UPDATE audit.leases SET old_node = 'x', old_expires_at = at + interval '1 minute' WHERE node IS NOT NULL",
  ],
  ["writtenUnderLease", "DELETE FROM audit.leases WHERE fence = 1"],
  [
    "toldIsStored",
    "UPDATE pintle.entries SET entry_id = 'another', line = replace(line, entry_id, 'another') WHERE position = 4",
  ],
  ["jobsEnd", "UPDATE pintle.jobs SET status = 'running' WHERE job_id = (SELECT min(job_id) FROM pintle.jobs)"],
  ["jobsWithinAttempts", "UPDATE pintle.jobs SET attempt = attempt + 1"],
  ["jobsChangeInOrder", "UPDATE audit.jobs SET old_status = 'done'"],
];

/** A copy of the database with one defect. */
async function auditBroken({ server, database, transcripts }: TestCluster, at: number, sql: string): Promise<string[]> {
  const name = `broken_${at}`;
  await server.admin((admin) => admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${database.name} STRATEGY file_copy`));
  await server.admin((admin) => admin.unsafe(sql), name);
  const found = audit(await readEvidence(database.adminUrl.replace(/[^/]+$/, name), transcripts, []));
  await server.admin((admin) => admin.unsafe(`DROP DATABASE ${name}`));
  return [...new Set(found.map((text) => text.slice(0, text.indexOf(":"))))];
}

function isSecond(build: PostgresBuild): boolean {
  return build.bin === debianPostgres()?.bin && build.bin !== npmPostgres().bin;
}

describeWithPostgres("three gateways, hosts and jobs through faults of every kind", (build) => {
  const faults = isSecond(build) ? FAULT_COUNTS.Debian : FAULT_COUNTS.npm;
  test(
    `the auditor finds nothing after ${faults} faults (seed ${SEED}), and finds what is broken afterwards`,
    async () => {
      const told: string[] = [];
      const report = (text: string) => void told.push(text);
      const run = await runFaults({ faults, seed: SEED, sessions: 4, jobs: faults / 2, build, report });
      await using cluster = run.cluster;
      expect({ violations: run.violations, told }).toEqual({ violations: [], told });
      expect(run.acknowledged).toBeGreaterThanOrEqual(8);
      expect(run.jobs).toBeGreaterThanOrEqual(1);
      expect(await Promise.all(cluster.members.map(({ node }) => node.stop()))).toEqual([0, 0, 0]);
      if (isSecond(build)) return;
      for (const [at, [rule, sql]] of BROKEN.entries()) expect(await auditBroken(cluster, at, sql)).toContain(rule);
    },
    PATIENCE_MS,
  );
});
