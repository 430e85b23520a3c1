import { audit } from "../audit/audit.ts";
import type { Evidence } from "../audit/evidence.ts";
import { readEvidence } from "../audit/read-evidence.ts";
import { type Member, TestCluster } from "../cluster/cluster.ts";
import type { PostgresBuild } from "../postgres/postgres-builds.ts";
import { FAULTS, faultOrder } from "./faults.ts";
import { JobClerk } from "./job-clerk.ts";
import { Random } from "./random.ts";
import { Talker } from "./talker.ts";

export interface FaultRunOptions {
  faults: number;
  seed: number;
  sessions: number;
  jobs: number;
  build?: PostgresBuild;
  report(text: string): void;
}

export interface FaultRunResult {
  /** Violations; should be empty. */
  violations: string[];
  acknowledged: number;
  jobs: number;
  takeovers: number;
  evidence: Evidence;
  cluster: TestCluster;
}

const NODES = 3;
/** Time in which every session must answer after all faults have ended, even on a busy machine. */
const RECOVERY_MS = 90_000;

/**
 * Sends prompts and jobs while faults happen, one after another, then reads and audits everything. The caller must dispose
 * it.
 */
export async function runFaults({
  faults,
  seed,
  sessions,
  jobs,
  build,
  report,
}: FaultRunOptions): Promise<FaultRunResult> {
  const random = new Random(seed);
  const cluster = await TestCluster.start({ nodes: NODES, ...(build && { build }) });
  const ports = cluster.members.map(({ node }) => node.port);
  const talkers = Array.from(
    { length: sessions },
    (_, index) => new Talker({ host: cluster.host(`h${index}`), random: random.fork(), ports, cwd: cluster.root }),
  );
  const clerk = new JobClerk({ host: cluster.host("clerk"), random: random.fork(), ports, cwd: cluster.root });
  const stop = new AbortController();
  const work = [...talkers.map((talker) => talker.talk(stop.signal)), clerk.submitAll(jobs, stop.signal)];
  // A talker that fails for a reason other than a fault ends the run.
  const failed = Promise.all(work).then(() => new Promise<never>(() => {}));
  await Promise.race([failed, happenAll(cluster, random, faultOrder(random, faults), report)]);
  await cluster.heal();
  stop.abort();
  await Promise.all(work);
  report("all faults are over");
  await within("every session answers", Promise.all(talkers.map((talker) => talker.promptOnce())));
  await within("every job is over", clerk.untilAllEnd());
  await within("every session is closed", Promise.all(talkers.map((talker) => talker.close())));
  const homes = cluster.members.map(({ node }) => node.sessionFolder);
  const evidence = await readEvidence(cluster.database.adminUrl, cluster.transcripts, homes);
  return {
    violations: audit(evidence),
    acknowledged: talkers.reduce((sum, talker) => sum + talker.acknowledged, 0),
    jobs: evidence.jobs.length,
    takeovers: evidence.leaseChanges.filter(
      ({ oldNode, node }) => oldNode !== null && node !== null && oldNode !== node,
    ).length,
    evidence,
    cluster,
  };
}

async function happenAll(
  cluster: TestCluster,
  random: Random,
  order: string[],
  report: (text: string) => void,
): Promise<void> {
  for (const [index, name] of order.entries()) {
    const member = random.pick(cluster.members.filter(({ node }) => node.isRunning));
    report(`${String(index + 1).padStart(3)} ${name} (${member?.node.name})`);
    await FAULTS[name]?.happen({ cluster, random, member: member as Member });
    await restartEnded(cluster);
    await Bun.sleep(random.integer(20, 400));
  }
}

/** A gateway may exit if it starts while the database is down; a supervisor would restart it. */
async function restartEnded({ members }: TestCluster): Promise<void> {
  for (const { node } of members) if (!node.isRunning) node.launch();
}

async function within(what: string, work: Promise<unknown>): Promise<void> {
  const late = Symbol("late");
  const timer = Bun.sleep(RECOVERY_MS).then(() => late);
  if ((await Promise.race([work, timer])) === late) throw new Error(`timed out: ${what}`);
}
