import { AllowList } from "@pintle/foundation";
import { PROXY_PORT } from "../kernel/inner-listener.ts";
import { InnerListener } from "./inner-listener.ts";
import { NetworkProxy, type NetworkProxyParts } from "./proxy.ts";

const PROXY = `http://127.0.0.1:${PROXY_PORT}`;
const DIRECT = "localhost,127.0.0.1,::1";

/** Programs read one spelling or the other, and some (curl) only the lower case of `http_proxy`. */
const VARIABLES: Readonly<Record<string, string>> = Object.fromEntries([
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => bothCases(name, PROXY)),
  ...bothCases("NO_PROXY", DIRECT),
  // Node reads the others only with this.
  ["NODE_USE_ENV_PROXY", "1"],
]);

/** Connects one command to the hosts of a list. */
export class CommandNetwork {
  readonly variables = VARIABLES;
  readonly #listener = new InnerListener();
  readonly #proxy: NetworkProxy;

  constructor(hosts: readonly string[], parts: Omit<NetworkProxyParts, "allowed"> = {}) {
    this.#proxy = new NetworkProxy({ ...parts, allowed: new AllowList(hosts) });
    void this.#serve(); // catches everything
  }

  /** What the command must inherit, as LISTENER_OUTLET_FD. */
  get descriptor(): number {
    return this.#listener.commandEnd;
  }

  /** What was refused, a sentence each. */
  get refusals(): string[] {
    return this.#proxy.refusals;
  }

  close(): void {
    this.#listener.close();
    this.#proxy.close();
  }

  async #serve(): Promise<void> {
    try {
      const descriptor = await this.#listener.receive();
      if (descriptor !== undefined) await this.#proxy.listen(descriptor);
    } catch {
      this.close(); // the command reaches nothing, which is what a failure should mean
    }
  }
}

function bothCases(name: string, value: string): [string, string][] {
  return [
    [name, value],
    [name.toLowerCase(), value],
  ];
}
