import { MAX_USER_DATA_BYTES, userData, withKeysThatFit } from "./first-boot.js";

const settings = {
  callback_url: "https://gantry.example.com/requests/1/callback",
  username: "deploy",
  authorized_keys: ["ssh-ed25519 AAAA"],
  role: "app",
  environment: "main",
  volumes: [{ device: "/dev/xvdf", mount: "/data", blank: true }],
};
const plain = (encoded: string) => Buffer.from(encoded, "base64").toString();
const constantOf = (script: string) => /^SETTINGS = "(.*)"$/m.exec(script)?.[1] ?? "";

it("is the same script for all settings", () => {
  const hostile = { ...settings, environment: `"; import os\nos.system("x") #$& $1 \\`, username: "$(reboot)'`" };
  const [one, other] = [plain(userData(settings, "token")), plain(userData(hostile, "token"))];
  expect(other.replace(constantOf(other), "")).toBe(one.replace(constantOf(one), ""));
  expect(constantOf(other)).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(JSON.parse(plain(constantOf(other)))).toEqual({ ...hostile, token: "token" });
});

it("contains as many keys as fit into user data, in order", () => {
  const keys = Array.from(
    { length: 40 },
    (_, i) => `ssh-rsa ${String(i).padStart(2, "0")}${"A".repeat(714)} "quoted" é`,
  );
  const sizeOf = (authorized_keys: string[]) =>
    Buffer.from(userData({ ...settings, authorized_keys }, "t".repeat(43)), "base64").length;
  const { authorized_keys: fitting } = withKeysThatFit(settings, keys);
  expect(fitting).toEqual(keys.slice(0, fitting.length));
  expect(sizeOf(fitting)).toBeLessThanOrEqual(MAX_USER_DATA_BYTES);
  expect(sizeOf(keys.slice(0, fitting.length + 1))).toBeGreaterThan(MAX_USER_DATA_BYTES);
  const huge = `ssh-rsa ${"A".repeat(16_000)}`;
  expect(withKeysThatFit(settings, [huge, "ssh-ed25519 AAAA"]).authorized_keys).toEqual(["ssh-ed25519 AAAA"]);
});
