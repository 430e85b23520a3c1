import { LEASE_MS, type Member, type TestCluster } from "../cluster/cluster.ts";
import { killIfThere } from "../postgres/processes.ts";
import type { Random } from "./random.ts";

export interface Scene {
  cluster: TestCluster;
  random: Random;
  /** One of the running nodes. */
  member: Member;
}

/** A fault of the cluster. Resolves when it is over. */
export type Fault = (scene: Scene) => Promise<void>;

const SHORT = [50, LEASE_MS / 2] as const;
/** Longer than a lease, so that other nodes take over. */
const LONG = [LEASE_MS + 200, 2 * LEASE_MS] as const;

async function forAWhile({ random }: Scene, [from, to]: readonly [number, number]): Promise<void> {
  await Bun.sleep(random.integer(from, to));
}

/** Picks either; the cluster must survive both. */
async function shortOrLong(scene: Scene): Promise<void> {
  await forAWhile(scene, scene.random.next() < 0.5 ? SHORT : LONG);
}

async function killGateway(scene: Scene): Promise<void> {
  const { node } = scene.member;
  await node.kill();
  await shortOrLong(scene);
  node.launch();
}

async function endGateway(scene: Scene): Promise<void> {
  const { node } = scene.member;
  await node.stop();
  await forAWhile(scene, SHORT);
  node.launch();
}

async function killWorker({ member, random }: Scene): Promise<void> {
  const workers = member.node.workers();
  if (workers.length > 0) killIfThere(random.pick(workers));
}

async function pauseGateway(scene: Scene): Promise<void> {
  scene.member.node.signal("SIGSTOP");
  await forAWhile(scene, LONG);
  scene.member.node.signal("SIGCONT");
}

async function pauseDatabase(scene: Scene): Promise<void> {
  const { server } = scene.cluster;
  server.signalAll("SIGSTOP");
  await shortOrLong(scene);
  server.signalAll("SIGCONT");
}

async function killDatabase(scene: Scene): Promise<void> {
  await scene.cluster.server.kill();
  await forAWhile(scene, SHORT);
  await scene.cluster.server.start();
}

async function restartDatabase(scene: Scene): Promise<void> {
  await scene.cluster.server.stop();
  await shortOrLong(scene);
  await scene.cluster.server.start();
}

/** The server refuses writes, or stops if its own log cannot be written. */
async function fillDisk(scene: Scene): Promise<void> {
  const { disk, server } = scene.cluster;
  if (!disk) return;
  disk.fill();
  await shortOrLong(scene);
  disk.free();
  if (!server.isRunning) await server.start();
}

type Way = "database" | "link";

const cut =
  (way: Way): Fault =>
  async ({ member }) =>
    member[way].cut();

const refuse =
  (way: Way): Fault =>
  async (scene) => {
    scene.member[way].refuse();
    await shortOrLong(scene);
    scene.member[way].allow();
  };

const freeze =
  (way: Way): Fault =>
  async (scene) => {
    scene.member[way].freeze();
    await shortOrLong(scene);
    scene.member[way].thaw();
  };

const halfClose =
  (way: Way): Fault =>
  async ({ member }) =>
    member[way].halfClose();

const delay =
  (way: Way): Fault =>
  async (scene) => {
    scene.member[way].delayMs = scene.random.integer(20, 200);
    await forAWhile(scene, SHORT);
    scene.member[way].delayMs = 0;
  };

/** Each fault, and its relative frequency. */
export const FAULTS: Readonly<Record<string, { weight: number; happen: Fault }>> = {
  "kill a gateway": { weight: 6, happen: killGateway },
  "end a gateway": { weight: 1, happen: endGateway },
  "kill a worker": { weight: 5, happen: killWorker },
  "pause a gateway past its lease": { weight: 4, happen: pauseGateway },
  "kill the database": { weight: 3, happen: killDatabase },
  "restart the database": { weight: 1, happen: restartDatabase },
  "pause the database": { weight: 2, happen: pauseDatabase },
  "fill the disk of the database": { weight: 2, happen: fillDisk },
  "cut the connection to the database": { weight: 4, happen: cut("database") },
  "refuse connections to the database": { weight: 3, happen: refuse("database") },
  "freeze the connection to the database": { weight: 3, happen: freeze("database") },
  "half close the connection to the database": { weight: 1, happen: halfClose("database") },
  "delay the connection to the database": { weight: 1, happen: delay("database") },
  "cut the connection to a node": { weight: 2, happen: cut("link") },
  "refuse connections to a node": { weight: 1, happen: refuse("link") },
  "freeze the connection to a node": { weight: 2, happen: freeze("link") },
  "half close the connection to a node": { weight: 1, happen: halfClose("link") },
  "delay the connection to a node": { weight: 1, happen: delay("link") },
};

/** Chooses every kind once in a seeded order, then by weight. */
export function faultOrder(random: Random, count: number): string[] {
  const names = Object.keys(FAULTS);
  const once = names.map((name) => ({ name, at: random.next() })).toSorted((a, b) => a.at - b.at);
  const bag = Object.entries(FAULTS).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));
  return Array.from({ length: count }, (_, index) => once[index]?.name ?? random.pick(bag));
}
