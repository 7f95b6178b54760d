import { expect, it } from "vitest";
import { MAX_USER_DATA_BYTES, userData, userDataBytes } from "./first-boot.js";

const settings = {
  callback_url: "https://gantry.example.com/requests/1/callback",
  username: "deploy",
  authorized_keys: ["ssh-ed25519 AAAA"],
  role: "app",
  environment: "main",
  volumes: [{ device: "/dev/xvdf", mount: "/data", blank: true }],
};
const plain = (encoded: string) => Buffer.from(encoded, "base64").toString();
const constantOf = (script: string) => /^TOLD = "(.*)"$/m.exec(script)?.[1] ?? "";

it("is the same script whatever its settings", () => {
  const hostile = { ...settings, environment: `"; import os\nos.system("x") #$& $1 \\`, username: "$(reboot)'`" };
  const [one, other] = [plain(userData(settings, "token")), plain(userData(hostile, "token"))];
  expect(other.replace(constantOf(other), "")).toBe(one.replace(constantOf(one), ""));
  expect(constantOf(other)).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(JSON.parse(plain(constantOf(other)))).toEqual({ ...hostile, token: "token" });
});

it("has a known size before the token is known", () => {
  expect(userDataBytes(settings)).toBe(Buffer.from(userData(settings, "t".repeat(43)), "base64").length);
  expect(userDataBytes(settings)).toBeLessThan(MAX_USER_DATA_BYTES / 2);
});
