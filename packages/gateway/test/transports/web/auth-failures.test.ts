import { describe, expect, test } from "bun:test";
import { AuthFailures } from "../../../src/transports/web/auth-failures.ts";

function failing(max: number) {
  const clock = { now: 0 };
  return { failures: new AuthFailures(max, () => clock.now), clock };
}

describe("addresses that show wrong tokens", () => {
  test("wait after so many, and are forgotten afterwards", () => {
    const { failures, clock } = failing(3);
    for (const _ of [1, 2, 3]) {
      expect(failures.pauseMs("10.0.0.1")).toBe(0);
      failures.add("10.0.0.1");
    }
    expect({ it: failures.pauseMs("10.0.0.1"), other: failures.pauseMs("10.0.0.2") }).toEqual({ it: 60_000, other: 0 });
    clock.now = 59_999;
    expect(failures.pauseMs("10.0.0.1")).toBe(1);
    clock.now = 60_000;
    expect(failures.pauseMs("10.0.0.1")).toBe(0);
    failures.add("10.0.0.1");
    expect({ pause: failures.pauseMs("10.0.0.1"), total: failures.total }).toEqual({ pause: 0, total: 4 });
  });

  test("of one IPv6 network are one", () => {
    const { failures } = failing(2);
    failures.add("2001:db8:1:2::1");
    failures.add("2001:db8:1:2:ffff::9");
    expect(failures.pauseMs("2001:db8:1:2:3:4:5:6")).toBe(60_000);
    expect(failures.pauseMs("2001:db8:1:3::1")).toBe(0);
    failures.add("::1");
    failures.add("::1");
    expect({ loopback: failures.pauseMs("::1"), other: failures.pauseMs("::ffff:10.0.0.1") }).toEqual({
      loopback: 60_000,
      other: 0,
    });
  });

  test("never wait with 0, and cost a bounded memory", () => {
    const { failures } = failing(0);
    for (let n = 0; n < 20_000; n += 1) failures.add(`10.0.${n >> 8}.${n & 255}`);
    expect(failures.pauseMs("10.0.78.31")).toBe(0);
    const limited = failing(1).failures;
    for (let n = 0; n < 20_000; n += 1) limited.add(`10.0.${n >> 8}.${n & 255}`);
    expect({ first: limited.pauseMs("10.0.0.0"), last: limited.pauseMs("10.0.78.31") }).toEqual({
      first: 0,
      last: 60_000,
    });
  });
});
