import { AddressGuard } from "./address-guard.js";

const PRIVATE = [
  "127.1",
  "localhost",
  "10.0.0.1",
  "192.0.2.1",
  "[::1]",
  "[::127.0.0.1]",
  "[::93.184.215.14]",
  "[fc00::1]",
];
const EVERYTHING = ["0.0.0.0/0", "::/0"];

it("allows public addresses, and refuses private and reserved ones in any form, unless they are listed", () => {
  const guard = new AddressGuard();
  const refused = (hosts: string[]) => hosts.filter((host) => guard.refusesUrl(`https://${host}/hook`));
  expect(refused(PRIVATE)).toEqual(PRIVATE);
  expect(refused(["93.184.215.14", "1.1.1.1", "172.32.0.1", "[2606:4700::1111]", "hooks.example.com"])).toEqual([]);
});

describe("a guard with a list of blocks", () => {
  it("allows their addresses, and this machine only if it is listed", () => {
    const guard = new AddressGuard(["10.0.0.0/8", "fd12::/16"]);
    const refused = ["10.1.2.3", "fd12::1", "192.168.0.1", "fd13::1", "127.0.0.1", "::1"].filter((address) =>
      guard.refuses(address),
    );
    expect(refused).toEqual(["192.168.0.1", "fd13::1", "127.0.0.1", "::1"]);
    expect(new AddressGuard(["127.0.0.0/8"]).refusesUrl("http://localhost:3000")).toBe(false);
  });

  it.each([
    "169.254.169.254",
    "169.254.170.2",
    "fd00:ec2::254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
    "0.0.0.0",
    "::",
  ])("refuses the link-local address %s even if a block holds it", (address) => {
    expect(new AddressGuard([...EVERYTHING, "169.254.0.0/16", "fe80::/10"]).refuses(address)).toBe(true);
  });

  it("refuses a name if one of its addresses is refused", async () => {
    const guard = new AddressGuard(["10.0.0.0/8"]);
    const look = (...addresses: string[]) =>
      new Promise((resolve) => {
        const found = addresses.map((address) => ({ address, family: 4 }));
        guard.guard((_, __, done) => done(null, found))("hooks.example.com", { all: true }, resolve);
      });
    expect(await look("93.184.215.14", "10.0.0.1")).toBeNull();
    expect(await look("93.184.215.14", "192.168.0.1")).toMatchObject({
      message: "the address of hooks.example.com is not allowed",
    });
  });
});
