import { zoneBlocks } from "./zone-blocks.js";

it("leaves half of the network free for later subnets", () => {
  const zones = ["a", "b", "c", "d", "e", "f"];
  expect(zoneBlocks("10.0.0.0/16", zones).map(({ cidr }) => cidr)).toEqual([
    "10.0.0.0/20",
    "10.0.16.0/20",
    "10.0.32.0/20",
    "10.0.48.0/20",
    "10.0.64.0/20",
    "10.0.80.0/20",
  ]);
});

it("assigns no block smaller than AWS allows, and none to the last zones if the network is too small", () => {
  expect(zoneBlocks("10.0.0.0/27", ["a", "b", "c"])).toEqual([
    { zone: "a", cidr: "10.0.0.0/28", isPrivate: false },
    { zone: "b", cidr: "10.0.0.16/28", isPrivate: false },
  ]);
  expect(zoneBlocks("10.0.0.0/28", ["a", "b"])).toEqual([{ zone: "a", cidr: "10.0.0.0/28", isPrivate: false }]);
});

it("assigns no block without zones", () => {
  expect(zoneBlocks("10.0.0.0/16", [])).toEqual([]);
});

it("assigns each zone a public and a private block of the same size, and leaves half of the network free", () => {
  const blocks = zoneBlocks("10.0.0.0/16", ["a", "b", "c"], { privateSubnets: true });
  expect(blocks.map(({ zone, cidr, isPrivate }) => [zone, cidr, isPrivate])).toEqual([
    ["a", "10.0.0.0/20", false],
    ["a", "10.0.16.0/20", true],
    ["b", "10.0.32.0/20", false],
    ["b", "10.0.48.0/20", true],
    ["c", "10.0.64.0/20", false],
    ["c", "10.0.80.0/20", true],
  ]);
});
