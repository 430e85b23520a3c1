import type { EndReason, Outlet } from "../../src/connections/connection.ts";
import type { Host, HostPort, Hosts } from "../../src/host.ts";

/** A host that reads only when the test says so. */
export class TestOutlet implements Outlet {
  readonly read: string[] = [];
  readonly ended: EndReason[] = [];
  isReading = true;
  unsentBytes = 0;

  write(json: string): boolean {
    this.read.push(json);
    return this.isReading;
  }

  end(reason: EndReason): void {
    this.ended.push(reason);
  }

  frames(): Record<string, unknown>[] {
    return this.read.map((json) => JSON.parse(json) as Record<string, unknown>);
  }
}

export const FIRST = '{"type":"server_ready"}';

/** Replaces the sessions: records each line and echoes it. */
export class EchoHosts implements Hosts {
  readonly hosts: Host[] = [];
  readonly received: string[] = [];
  closed = 0;

  accept(host: Host): HostPort {
    this.hosts.push(host);
    host.send({ json: FIRST });
    return {
      receive: (line) => {
        this.received.push(line);
        host.send({ json: JSON.stringify({ type: "echo", line }) });
      },
      closed: () => {
        this.closed += 1;
      },
      answered: () => Promise.resolve(),
    };
  }
}
