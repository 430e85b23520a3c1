import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { isOwnAddress, isPublicAddress } from "../../src/network/public-address.ts";

test.each([
  ["93.184.216.34", true],
  ["2606:4700::6810:84e5", true],
  ["0.0.0.0", false],
  ["10.255.0.1", false],
  ["100.100.100.200", false],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["172.31.255.255", false],
  ["172.32.0.1", true],
  ["192.168.1.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:10.0.0.1", false],
  ["::ffff:93.184.216.34", true],
  ["::127.0.0.1", false],
  ["64:ff9b::a00:1", false],
  ["fd00:ec2::254", false],
  ["fe80::1", false],
  ["ff02::1", false],
  ["2002:a00:1::", false],
  ["2001::a00:1", false],
  ["fe80::1%eth0", false],
  ["example.com", false],
  ["", false],
])("%s is public: %p", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test("the addresses of this machine are known", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const ipv4 = own.filter(({ family }) => family === "IPv4");
  expect(ipv4.map(({ address }) => isOwnAddress(address))).toEqual(ipv4.map(() => true));
  expect(isOwnAddress("93.184.216.34")).toBe(false);
});
