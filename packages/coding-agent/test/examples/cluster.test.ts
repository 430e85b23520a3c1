import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { SUBCOMMANDS } from "../../src/commands/subcommands.ts";
import { SETTINGS } from "../../src/config/settings/settings-schema.ts";
import { repository } from "../support/program.ts";

// Starts no container: reads the files of examples/cluster and checks that everything they name exists.

interface Service {
  command?: string[];
  secrets?: string[];
  depends_on?: Record<string, unknown>;
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, unknown>;
  volumes: Record<string, unknown>;
}

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace: string };
  spec: Record<string, unknown>;
}

const read = (name: string) => YAML.parse(readFileSync(join(repository, "examples", "cluster", name), "utf8"));

/** Returns the flags and settings on a command line that the program does not know. */
function unknownIn(words: readonly string[]): string[] {
  const flags = SUBCOMMANDS.serve?.flags ?? {};
  return words.slice(1).filter((word) => {
    const [, flag = "", value = ""] = /^--([\w-]+)=(.*)$/.exec(word) ?? [];
    return !(flag in flags) || (flag === "set" && !(value.replace(/=.*/, "") in SETTINGS));
  });
}

test("docker-compose: three nodes with valid flags, and every reference resolves", () => {
  const { services, secrets, volumes } = read("docker-compose.yml") as Compose;
  const nodes = Object.values(services).filter(({ command }) => command?.[0] === "serve");
  expect(nodes).toHaveLength(3);
  expect(nodes.flatMap(({ command = [] }) => unknownIn(command))).toEqual([]);
  const named = Object.values(services).flatMap((service) => service.secrets ?? []);
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(secrets).toSorted());
  const needed = Object.values(services).flatMap((service) => Object.keys(service.depends_on ?? {}));
  expect(needed.filter((name) => !(name in services))).toEqual([]);
  expect(Object.keys(volumes)).toEqual(["database"]);
});

test("Kubernetes: manifests of one namespace with valid flags, and every reference resolves", () => {
  const manifests = read("kubernetes.yaml") as Manifest[];
  expect(manifests.map(({ kind }) => kind)).toEqual([
    "Service",
    "Service",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "NetworkPolicy",
    "StatefulSet",
  ]);
  for (const { apiVersion, metadata, spec } of manifests) {
    expect(apiVersion).toMatch(/^([a-z0-9.]+\/)?v\d$/);
    expect({ namespace: metadata.namespace, hasSpec: Object.keys(spec).length > 0 }).toEqual({
      namespace: "pintle",
      hasSpec: true,
    });
  }
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  interface Container {
    args?: string[];
    env?: { name: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
    volumeMounts: { name: string }[];
  }
  interface Pod {
    containers: Container[];
    initContainers: Container[];
    volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
  }
  const set = manifests.at(-1)?.spec as { serviceName: string; template: { spec: Pod } };
  const { containers, initContainers, volumes } = set.template.spec;
  expect(names).toContain(`Service ${set.serviceName}`);
  expect(containers.flatMap(({ args = [] }) => unknownIn(args))).toEqual([]);
  // The model's key comes from the secret; the head of the file explains how to create it.
  const text = readFileSync(join(repository, "examples", "cluster", "kubernetes.yaml"), "utf8");
  const keys = containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? []));
  expect(keys).toEqual(["store-url", "anthropic-api-key"]);
  for (const key of keys) expect(text).toContain(`--from-literal=${key}=`);
  const mounted = [...containers, ...initContainers].flatMap(({ volumeMounts }) =>
    volumeMounts.map(({ name }) => name),
  );
  expect([...new Set(mounted)].toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
  const claims = volumes.flatMap(({ persistentVolumeClaim: claim }) => (claim ? [claim.claimName] : []));
  for (const claim of claims) expect(names).toContain(`PersistentVolumeClaim ${claim}`);
});
