import { readEnv, SETTING_NAMES } from "./env.js";

const COMPLETE = { DATABASE_URL: "postgresql://127.0.0.1/gantry", MASTER_KEY: Buffer.alloc(32).toString("base64") };

it("uses the defaults of variables that are not set", () => {
  expect(readEnv(COMPLETE)).toMatchObject({ LEASE_SECONDS: 3, SWEEP_SECONDS: 5, AWS_CALL_SECONDS: 10 });
  expect(readEnv(COMPLETE)).toMatchObject({ AWS_VISIBILITY_SECONDS: 60, HOME_REGION: "us-east-1" });
});

it("treats an empty variable as one that is not set", () => {
  const empty = Object.fromEntries(SETTING_NAMES.map((name) => [name, ""]));
  expect(readEnv({ ...empty, ...COMPLETE })).toEqual(readEnv(COMPLETE));
  expect(() => readEnv(empty)).toThrow(/DATABASE_URL: .*MASTER_KEY: /);
});

it("keeps within the rates of AWS itself, and within those of an emulator only if that is set", () => {
  const rateShare = (more: object) => readEnv({ ...COMPLETE, ...more }).AWS_RATE_SHARE;
  const AWS_ENDPOINT_URL = "http://127.0.0.1:4566";
  expect(rateShare({})).toBe(0.8);
  expect([rateShare({ AWS_ENDPOINT_URL }), rateShare({ AWS_ENDPOINT_URL, AWS_RATE_SHARE: "0.5" })]).toEqual([
    undefined,
    0.5,
  ]);
});

it("names every variable that is missing or malformed", () => {
  expect(() => readEnv({ MASTER_KEY: "short", PORT: "-1" })).toThrow(/DATABASE_URL: .*MASTER_KEY: .*PORT: /);
});

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");

it("reads several master keys, the first one first", () => {
  const { MASTER_KEY } = readEnv({ ...COMPLETE, MASTER_KEY: `${key(1)}, ${key(2)}` });
  expect(MASTER_KEY.map((bytes) => bytes[0])).toEqual([1, 2]);
});

it("reads a key of AWS KMS among the master keys, and refuses an alias, which may come to name another key", () => {
  const arn = "arn:aws:kms:eu-central-1:123456789012:key/0190c4a2-1111-7111-8111-111111111111";
  expect(readEnv({ ...COMPLETE, MASTER_KEY: `${arn},${key(1)}` }).MASTER_KEY[0]).toBe(arn);
  const read = (MASTER_KEY: string) => () => readEnv({ ...COMPLETE, MASTER_KEY });
  expect(read(`${arn},${arn}`)).toThrow("Key 2 of 2 is the same as key 1.");
  expect(read(arn.replace(/key\/.*/, "alias/gantry"))).toThrow("Key 1 of 1 must be 32 bytes");
});

it("names the position of a malformed and of a repeated master key, and never the key", () => {
  const bad = `${key(1)},${key(2).slice(5)}, ${key(1)},`;
  const read = () => readEnv({ ...COMPLETE, MASTER_KEY: bad });
  expect(read).toThrow(/Key 2 of 4 must be 32 bytes.*Key 3 of 4 is the same as key 1\..*Key 4 of 4 must be/);
  expect(read).not.toThrow(new RegExp(`${key(1).slice(0, 8)}|${key(2).slice(5, 13)}`));
});

const SIGN_IN = { ...COMPLETE, BASE_URL: "https://gantry.example.com", OIDC_ISSUER: "https://id.example.com" };

it("refuses an issuer without a client, without a BASE_URL and without https", () => {
  expect(() => readEnv(SIGN_IN)).toThrow(/OIDC_ISSUER: requires OIDC_CLIENT_ID, and BASE_URL/);
  const { BASE_URL, ...withoutUrl } = { ...SIGN_IN, OIDC_CLIENT_ID: "gantry" };
  expect(() => readEnv(withoutUrl)).toThrow(/OIDC_ISSUER: .*BASE_URL/);
  expect(() => readEnv({ ...SIGN_IN, OIDC_ISSUER: "http://id.example.com" })).toThrow(
    /OIDC_ISSUER: must be an https URL/,
  );
  expect(() => readEnv({ ...SIGN_IN, OIDC_ISSUER: "id.example.com" })).toThrow(/OIDC_ISSUER: Invalid URL/);
  expect(readEnv({ ...withoutUrl, BASE_URL })).toMatchObject({ OIDC_CLIENT_ID: "gantry", OIDC_TOKEN_HOURS: 12 });
});

it("reads the roles of groups, and refuses one of owner", () => {
  const account = "0190c4a2-1111-7111-8111-111111111111";
  const read = (OIDC_GROUP_ROLES: string) => readEnv({ ...COMPLETE, OIDC_GROUP_ROLES }).OIDC_GROUP_ROLES;
  expect(read(`ops=team=${account}:admin, dev=${account.toUpperCase()}:viewer`)).toEqual([
    { group: "ops=team", account, role: "admin" },
    { group: "dev", account, role: "viewer" },
  ]);
  expect(() => read(`ops=${account}:owner`)).toThrow(/OIDC_GROUP_ROLES: "ops=.*:owner" must be GROUP=ACCOUNT:ROLE/);
});

it("reads the private blocks for webhooks, and rejects a value that is not a block", () => {
  const read = (text: string) => readEnv({ ...COMPLETE, WEBHOOK_PRIVATE_ADDRESSES: text }).WEBHOOK_PRIVATE_ADDRESSES;
  expect(readEnv(COMPLETE).WEBHOOK_PRIVATE_ADDRESSES).toEqual([]);
  expect(read("10.0.0.0/8, fd12::/16")).toEqual(["10.0.0.0/8", "fd12::/16"]);
  for (const text of ["refused", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/8,"])
    expect(() => read(text)).toThrow(/WEBHOOK_PRIVATE_ADDRESSES: ".*" must be a CIDR block, such as 10\.0\.0\.0\/8/);
});

it("refuses shared providers together with customers' roles in the workers' own AWS account", () => {
  const read = (own: string) => () =>
    readEnv({ ...COMPLETE, SHARED_PROVIDER: "allowed", PROVIDERS_IN_OWN_ACCOUNT: own });
  expect(read("refused")().SHARED_PROVIDER).toBe("allowed");
  expect(read("allowed")).toThrow("SHARED_PROVIDER: the value allowed requires PROVIDERS_IN_OWN_ACCOUNT=refused");
});

it("refuses a quiet period of drift that is longer than the retention of Requests", () => {
  const read = (days: number, seconds: number) => () =>
    readEnv({ ...COMPLETE, REQUEST_RETENTION_DAYS: String(days), DRIFT_QUIET_SECONDS: String(seconds) });
  const seconds = 31 * 24 * 3600;
  expect(read(31, seconds)().DRIFT_QUIET_SECONDS).toBe(seconds);
  expect(read(0, seconds + 1)().REQUEST_RETENTION_DAYS).toBe(0);
  expect(read(31, seconds + 1)).toThrow(
    "DRIFT_QUIET_SECONDS: must not be longer than REQUEST_RETENTION_DAYS: a scan could report an object as an orphan",
  );
});

it.each(["postgresql://h/gantry?pgbouncer=yes", "postgresql://h/gantry?sslmode=require&pgbouncer="])(
  "refuses %s as the address of a database",
  (DATABASE_URL) => {
    expect(() => readEnv({ ...COMPLETE, DATABASE_URL })).toThrow("DATABASE_URL: The parameter pgbouncer must be");
  },
);
