import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { readOffer } from "../../../src/transports/web/offered-token.ts";
import { Token } from "../../../src/transports/web/token.ts";

const TEXT = "0123456789abcdefghijklmnopqrstuvwxyz-_.~";
const scratch = scratchPath();

function tokenFile(text: string, mode: number): string {
  const path = join(scratchPath(scratch), "token");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe("the token", () => {
  test("is 256 bits at random, another one each time, if none is given", () => {
    const [one, two] = [Token.from({}), Token.from({ variable: "" })];
    expect(Buffer.from(one.fresh ?? "", "base64url")).toHaveLength(32);
    expect(one.fresh).not.toBe(two.fresh);
    expect({ own: one.isMatchedBy(one.fresh!), other: one.isMatchedBy(two.fresh!), none: one.isMatchedBy("") }).toEqual(
      {
        own: true,
        other: false,
        none: false,
      },
    );
  });

  test("comes from a file of this user alone, before the variable", () => {
    const token = Token.from({ file: tokenFile(`${TEXT}\n`, 0o600), variable: "x".repeat(40) });
    expect({ file: token.isMatchedBy(TEXT), variable: token.isMatchedBy("x".repeat(40)), fresh: token.fresh }).toEqual({
      file: true,
      variable: false,
      fresh: undefined,
    });
    expect(Token.from({ variable: TEXT }).isMatchedBy(TEXT)).toBe(true);
  });

  test.each([0o640, 0o604, 0o660, 0o644])("a file of mode %o is refused", (mode) => {
    expect(() => Token.from({ file: tokenFile(TEXT, mode) })).toThrow("can be read by other users");
  });

  test("that is short, or contains what no header may contain, is refused without being shown", () => {
    for (const text of ["short", `${TEXT} ${TEXT}`, `${TEXT},`, ""]) {
      expect(() => Token.from({ file: tokenFile(text, 0o600) })).toThrow("32 to 512 characters");
    }
    expect(() => Token.from({ variable: "too-short-secret" })).toThrow(/^((?!too-short-secret).)*$/);
    expect(() => Token.from({ file: join(scratch, "none") })).toThrow("cannot be read");
  });

  test("does not appear when the object is shown", () => {
    expect(inspect(Token.from({ variable: TEXT }), { showHidden: true, depth: 9 })).not.toContain(TEXT);
  });
});

describe("where a request shows it", () => {
  const offer = (headers: Record<string, string>) => readOffer(new Headers(headers));

  test("in the header", () => {
    expect(offer({ authorization: `Bearer ${TEXT}` })).toMatchObject({ token: TEXT, subprotocol: undefined });
    expect(offer({ authorization: `bearer  ${TEXT} ` }).token).toBe(TEXT);
    expect(offer({ authorization: `Basic ${TEXT}` }).token).toBeUndefined();
    expect(offer({ referer: `http://127.0.0.1/#token=${TEXT}`, cookie: `token=${TEXT}` }).token).toBeUndefined();
  });

  test("among the sub-protocols, of which the server speaks one", () => {
    expect(offer({ "sec-websocket-protocol": `pintle, pintle.token.${TEXT}` })).toEqual({
      token: TEXT,
      subprotocol: "pintle",
      isUnspoken: false,
    });
    expect(offer({ "sec-websocket-protocol": `pintle.token.${TEXT}` }).isUnspoken).toBe(true);
    expect(offer({ "sec-websocket-protocol": "chat" }).isUnspoken).toBe(true);
    expect(offer({}).isUnspoken).toBe(false);
  });
});
