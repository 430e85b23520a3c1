import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import type { GatewayOptions } from "../../../gateway/src/gateway.ts";
import { type RunningServer, serve } from "../../../gateway/src/serve.ts";
import { type GatewayFixture, LIMITS, scriptedGateway } from "../../../gateway/test/support/gateway-fixture.ts";
import { acceptLinks } from "../../src/cluster.ts";
import { NodeRelay } from "../../src/cluster-relay.ts";
import { NodeLinks } from "../../src/relay/entry/node-links.ts";

export const CLUSTER_TOKEN = "a-token-that-only-the-nodes-of-a-cluster-have";
const HOST_TOKEN = "a-token-of-more-than-thirty-two-characters";

export interface LinkedNode extends GatewayFixture {
  name: string;
  address: string;
  server: RunningServer;
  links: NodeLinks;
}

export interface LinkedNodes extends AsyncDisposable {
  nodes: LinkedNode[];
  /** The owner of each session, as a store would know it. */
  owners: Map<string, string>;
  /** Labels of the nodes. */
  labels: Map<string, string[]>;
}

/** Nodes in this process, connected by real sockets, that share a directory of sessions. A table in the test is their store. */
export async function linkedNodes(count: number, options: Partial<GatewayOptions> = {}): Promise<LinkedNodes> {
  const shared = scratchPath();
  const tokenFile = join(shared, "cluster-token");
  writeFileSync(tokenFile, CLUSTER_TOKEN, { mode: 0o600 });
  const owners = new Map<string, string>();
  const labels = new Map<string, string[]>();
  const nodes: LinkedNode[] = [];
  const addressOf = (name: string | undefined) => nodes.find((node) => node.name === name);
  for (let number = 1; number <= count; number += 1) {
    const name = `n${number}`;
    const links = new NodeLinks({ token: CLUSTER_TOKEN, maxUnread: 1024 * 1024, silentMs: 5_000 });
    const relay = new NodeRelay({
      links,
      patienceMs: 10_000,
      watchMs: 100,
      directory: {
        async ownerOf(sessionId) {
          const owner = owners.get(sessionId);
          const found = owner === name ? undefined : addressOf(owner);
          return found && { nodeId: found.name, node: found.name, address: found.address };
        },
        ownersOf: async (sessionIds) =>
          new Map(sessionIds.flatMap((id) => (owners.has(id) ? [[id, owners.get(id)!] as const] : []))),
        async othersFor({ labels: needed = [] }) {
          const fits = (one: string) => needed.every((label) => labels.get(one)?.includes(label));
          const others = nodes.filter((node) => node.name !== name && fits(node.name));
          return others.map((node) => ({ nodeId: node.name, node: node.name, address: node.address }));
        },
        async nodeFor({ labels: needed = [] }) {
          const fits = (one: string) => needed.every((label) => labels.get(one)?.includes(label));
          const found = fits(name) ? undefined : nodes.find((node) => fits(node.name));
          return found && { nodeId: found.name, node: found.name, address: found.address };
        },
      },
    });
    const env = { PATH: process.env.PATH, HOME: shared };
    const served = scriptedGateway({ env, roots: [shared], relay, ...options });
    let address = "";
    const server = await serve({
      gateway: served.gateway,
      limits: LIMITS,
      listen: {
        address: "127.0.0.1:0",
        token: HOST_TOKEN,
        publicHosts: [],
        maxAuthFailures: 3,
        nodes: {
          socket: acceptLinks(name),
          tokenFile,
          async announce(told) {
            address = told;
          },
        },
      },
      report: () => {},
    });
    const journal = () => readFileSync(join(shared, "journal"), "utf8");
    nodes.push({ ...served, name, address, server, links, journal, cwd: shared });
  }
  return {
    nodes,
    owners,
    labels,
    async [Symbol.asyncDispose]() {
      for (const { links } of nodes) links.close();
      for (const { server } of nodes) await server.stop();
      rmSync(shared, { recursive: true, force: true });
    },
  };
}
