// The built client behind an HTTP proxy, under Node and Bun, as programs on a company's network use it.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { findBun } from "../../scripts/bun.mjs";
import { dist, root } from "../../scripts/paths.mjs";
import { scratchPath } from "../support/scratch-directory.mjs";
import { startConnectProxy } from "./support/connect-proxy.mjs";

const HOST = "gateway.test";
const place = scratchPath();
const closing = [() => rmSync(place, { recursive: true, force: true })];
after(async () => {
  for (const close of closing.reverse()) await close();
});

const { port, token } = await startGateway();

async function startGateway() {
  mkdirSync(join(place, "home"));
  const server = spawn(join(dist, "pintle"), ["serve", "--listen", "127.0.0.1:0", "--public-host", HOST], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: join(place, "home"), PINTLE_HOME: join(place, "home/.pintle") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  closing.push(() => {
    server.kill();
    return exited;
  });
  let text = "";
  const url = await new Promise((resolve, reject) => {
    server.stderr.on("data", (chunk) => {
      text += chunk;
      const [found] = text.match(/http:\/\/\S+#token=\S+/) ?? [];
      if (found) resolve(new URL(found));
    });
    server.once("exit", (code) => reject(new Error(`the server has exited with ${code}: ${text}`)));
  });
  return { port: Number(url.port), token: url.hash.slice("#token=".length) };
}

const SCRIPT = `
import { GatewayClient } from ${JSON.stringify(join(root, "packages/client/dist/index.js"))};
const gateway = new GatewayClient({ url: process.argv.at(-1), token: process.env.TOKEN });
try {
  await gateway.connect();
  const session = await gateway.open({ model: "pintle/offline" });
  console.log((await session.run("help").result).stopReason);
} catch (error) {
  console.log(error.message);
}
gateway.end();
`;

const RUNTIMES = [
  ["Node", process.execPath, ["--input-type=module", "-e", SCRIPT, "--"]],
  ["Bun", findBun(), ["-e", SCRIPT, "--"]],
];

async function run([, program, args], url, env) {
  const { stdout } = await promisify(execFile)(program, [...args, url], {
    cwd: place,
    env: { PATH: process.env.PATH, HOME: place, TOKEN: token, ...env },
  });
  return stdout.trim();
}

async function proxy(options) {
  const started = await startConnectProxy(options);
  closing.push(() => started.close());
  return started;
}

for (const runtime of RUNTIMES) {
  const [name] = runtime;

  test(`${name}: reaches a gateway through HTTP_PROXY, with the proxy's password`, async () => {
    const authorization = `Basic ${Buffer.from("ada:p@ss").toString("base64")}`;
    const { address, requests } = await proxy({ targets: { [`${HOST}:80`]: port }, authorization });
    const answer = await run(runtime, `ws://${HOST}/ws`, { HTTP_PROXY: `http://ada:p%40ss@${address}` });
    assert.deepEqual([answer, requests], ["stop", [`${HOST}:80`]]);
  });

  test(`${name}: does not use the proxy for this machine and for hosts in NO_PROXY`, async () => {
    const { address, requests } = await proxy({ targets: {} });
    assert.equal(await run(runtime, `ws://127.0.0.1:${port}/ws`, { http_proxy: address }), "stop");
    const excluded = await run(runtime, `ws://${HOST}/ws`, { http_proxy: address, NO_PROXY: "other.test, .test" });
    assert.match(excluded, /ENOTFOUND|EAI_AGAIN|getaddrinfo/i);
    assert.deepEqual(requests, []);
  });

  test(`${name}: says what the proxy refuses and what to do`, async () => {
    const { address } = await proxy({ targets: {}, authorization: "Basic eDp5" });
    assert.equal(
      await run(runtime, `ws://${HOST}/ws`, { http_proxy: address }),
      `The proxy ${address} (http_proxy) refused a connection to ${HOST}:80 (407 Proxy Authentication Required). ` +
        "Add user and password to its address (http://user:…@host:port)",
    );
    assert.equal(
      await run(runtime, `ws://${HOST}/ws`, { ALL_PROXY: `http://x:y@${address}` }),
      `The proxy ${address} (ALL_PROXY) refused a connection to ${HOST}:80 (403 Forbidden). ` +
        "Allow the connection there, or add the host to NO_PROXY to connect directly",
    );
  });

  test(`${name}: reaches a gateway with TLS through HTTPS_PROXY, and verifies its certificate`, async (t) => {
    const { key, cert } = certificate(t);
    if (!key) return;
    const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (near) => {
      const far = connect(port, "127.0.0.1");
      near.pipe(far).pipe(near);
      for (const end of [near, far]) end.on("error", () => {});
    });
    tls.on("tlsClientError", () => {});
    await new Promise((resolve) => tls.listen(0, "127.0.0.1", resolve));
    closing.push(() => tls.close());
    const targets = { [`${HOST}:443`]: tls.address().port, "other.test:443": tls.address().port };
    const { address, requests } = await proxy({ targets });
    const env = { HTTPS_PROXY: `http://${address}` };
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: cert };
    assert.equal(await run(runtime, `wss://${HOST}/ws`, trusting), "stop");
    assert.match(await run(runtime, `wss://${HOST}/ws`, env), /self.signed certificate/i);
    assert.match(await run(runtime, "wss://other.test/ws", trusting), /altname|does not match/i);
    assert.deepEqual(requests, [`${HOST}:443`, `${HOST}:443`, "other.test:443"]);
  });
}

/** Makes a certificate for the host, or skips the test. */
function certificate(t) {
  const [key, cert] = [join(place, "key.pem"), join(place, "cert.pem")];
  const subject = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`];
  const options = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", cert];
  try {
    execFileSync("openssl", [...options, ...subject], { stdio: "ignore" });
    return { key, cert };
  } catch (error) {
    if (error.code !== "ENOENT" || process.env.CI) throw error;
    t.skip("no openssl");
    return {};
  }
}
