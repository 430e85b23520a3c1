import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { readPageFile } from "../support/export/read-page.ts";
import { runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { type Machine, sessionFiles } from "../support/scenarios/stored-sessions.ts";
import { startReceiver } from "../support/traces/receiver.ts";

/** A line as found in people's files, and the part that must not appear in any artefact. All values are made up. */
const SECRETS: readonly (readonly [line: string, secret: string])[] = [
  ["MY_DB_PASSWORD=hunter2-correct-horse", "hunter2-correct-horse"],
  ["DATABASE_URL=postgres://app:pg-pass-4711@db.internal/app", "pg-pass-4711"],
  ["npm_config_auth npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "npm_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"],
  ["twine pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3OA", "pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3OA"],
  ["key sk-proj-0123456789abcdefXYZ", "sk-proj-0123456789abcdefXYZ"],
  ["google AIzaSyA0123456789abcdefghijklmnopqrstu", "AIzaSyA0123456789abcdefghijklmnopqrstu"],
  ["oauth ya29.a0AfH6SMBx0123456789abcdef", "ya29.a0AfH6SMBx0123456789abcdef"],
  ["git ghp_0123456789abcdefghijABCDEFGHIJ", "ghp_0123456789abcdefghijABCDEFGHIJ"],
  ["lab glpat-0123456789abcdefGHIJ", "glpat-0123456789abcdefGHIJ"],
  ["aws AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"],
  ["mail SG.0123456789abcdefGHIJKL", "SG.0123456789abcdefGHIJKL"],
  ["vault hvs.CAESIJ0123456789abcdefghij", "hvs.CAESIJ0123456789abcdefghij"],
  ["age AGE-SECRET-KEY-1QYQSZQGPQYQSZQGPQYQSZQGP", "AGE-SECRET-KEY-1QYQSZQGPQYQSZQGPQYQSZQGP"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
  ["slack xoxb-0123456789-abcdefghijkl", "xoxb-0123456789-abcdefghijkl"],
  ["docker dckr_pat_0123456789abcdefGH", "dckr_pat_0123456789abcdefGH"],
  ["Authorization: Basic dXNlcjpwYXNzd29yZDEyMzQ=", "dXNlcjpwYXNzd29yZDEyMzQ="],
  ["Cookie: session=0a1b2c3d4e5f6071; theme=dark", "0a1b2c3d4e5f6071"],
  ["client_secret: 9f8e7d6c5b4a", "9f8e7d6c5b4a"],
  ["signing_key = 'k1k2k3k4k5'", "k1k2k3k4k5"],
];
const FILE = `${SECRETS.map(([line]) => line).join("\n")}\n`;
const found = (text: string) => SECRETS.map(([, secret]) => secret).filter((secret) => text.includes(secret));

test("recordings contain none of twenty secrets, and can still be replayed", async () => {
  const answer = `These are in it:\n${FILE}`;
  await using chat = await chatPlace(callsTools({ name: "read", args: { path: "secrets.env" } }), says(answer));
  writeFileSync(join(chat.place.cwd, "secrets.env"), FILE);
  const recordings = join(chat.place.root, "recordings");
  const asked = ["--quiet", "-p", `read secrets.env; MY_DB_PASSWORD=${SECRETS[0]?.[1]}`];
  expect((await runProgram([...CHAT, "--record", recordings, ...asked], chat.place)).code).toBe(0);
  const files = readdirSync(recordings, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
  expect(text).toContain("MY_DB_PASSWORD=<secret>");
  expect(found(text)).toEqual([]);
  const replayed = await runProgram(["--replay", recordings, ...asked], chat.place);
  expect(replayed.code).toBe(0);
  expect(replayed.stdout).toContain("These are in it:");
});

test("traces with content contain none of them", async () => {
  using receiver = startReceiver();
  await using chat = await chatPlace(callsTools({ name: "read", args: { path: "secrets.env" } }), says(FILE));
  writeFileSync(join(chat.place.cwd, "secrets.env"), FILE);
  const env = {
    ...chat.place.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  };
  await using rpc = await startRpc(CHAT, { ...chat.place, env });
  await rpc.call("prompt", { message: `read secrets.env; password: ${SECRETS[0]?.[1]}` });
  await rpc.until(({ type }) => type === "agent_settled");
  await rpc.end();
  const text = JSON.stringify(receiver.spans);
  expect(text).toContain("MY_DB_PASSWORD=[redacted]");
  expect(found(text)).toEqual([]);
});

const lastSession = (place: Machine) => sessionFiles(place.sessionDir).at(-1)!;

test("an exported page contains none of them", async () => {
  await using chat = await chatPlace(callsTools({ name: "read", args: { path: "secrets.env" } }), says(FILE));
  writeFileSync(join(chat.place.cwd, "secrets.env"), FILE);
  expect((await runProgram([...CHAT, "--quiet", "-p", "read secrets.env"], chat.place)).code).toBe(0);
  const page = join(chat.place.root, "page.html");
  expect((await runProgram(["--export", lastSession(chat.place), page], chat.place)).code).toBe(0);
  const text = JSON.stringify(readPageFile(page));
  expect(text).toContain("MY_DB_PASSWORD=[redacted]");
  expect(found(text)).toEqual([]);
});

test("an error that quotes them is masked on stdout, on stderr and in the session", async () => {
  const refused = sendStatus(400, JSON.stringify({ error: { message: `Cannot read this:\n${FILE}` } }));
  await using chat = await chatPlace(refused, refused);
  for (const mode of [["-p"], ["--mode", "json"]]) {
    const { stdout, stderr } = await runProgram([...CHAT, ...mode, "hello"], chat.place);
    const text = stdout + stderr + readFileSync(lastSession(chat.place), "utf8");
    expect(text).toContain("MY_DB_PASSWORD=<secret>");
    expect(found(text)).toEqual([]);
  }
});

test("log lines and the findings of doctor contain none of them", async () => {
  await using chat = await chatPlace(says("done"));
  const server = `process.stderr.write(${JSON.stringify(FILE)}); process.exit(3);`;
  const mcp = { mcpServers: { broken: { command: process.execPath, args: ["-e", server] } } };
  writeFileSync(join(chat.place.env.PINTLE_HOME as string, "mcp.json"), JSON.stringify(mcp));
  const logged = await runProgram([...CHAT, "-p", "hello"], chat.place);
  const examined = await runProgram(["doctor", "--json"], chat.place);
  for (const text of [logged.stderr, examined.stdout]) {
    expect(text).toContain("MY_DB_PASSWORD=***");
    expect(found(text)).toEqual([]);
  }
});
