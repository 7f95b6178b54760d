import { generateKeyPairSync } from "node:crypto";
import { createApplication, createCaller, createEnvironment, type TestCaller } from "@gantry/test/support/api";
import { expectRefusal, idsIn, startApiTest, urlOf } from "@gantry/test/support/api-test";
import { SSH_KEYS } from "@gantry/test/support/ssh-keys";
import sshpk from "sshpk";

const { api, db, owner, provider } = await startApiTest();

const SMALL_RSA = sshpk
  .parseKey(generateKeyPairSync("rsa", { modulusLength: 768 }).publicKey.export({ type: "spki", format: "pem" }), "pem")
  .toString("ssh");
const { ed25519, rsa, ecdsa } = SSH_KEYS;
const inputWith = (public_key: unknown = ed25519.publicKey, name?: unknown) => ({ keypair: { public_key, name } });

it.each(Object.entries(SSH_KEYS))("accepts an %s key, and shows ssh-keygen's fingerprint", async (_kind, key) => {
  const caller = await createCaller(api);
  const line = `${key.publicKey} someone@example.com`;
  const { status, body } = await caller.post("/keypairs", inputWith(`${line}\n`, "laptop"));
  expect([status, Object.keys(body)]).toEqual([201, ["keypair"]]);
  expect(body.keypair).toMatchObject({
    name: "laptop",
    public_key: line,
    fingerprint: key.fingerprint,
    user: `http://gantry.test/users/${caller.userId}`,
    application: null,
  });
});

it.each([
  ["two blanks", "  "],
  ["a tab", "\t"],
  ["blanks and tabs", " \t \t"],
])("accepts %s between the parts of a key, as ssh-keygen does", async (_name, blank) => {
  for (const { publicKey, fingerprint } of Object.values(SSH_KEYS)) {
    const caller = await createCaller(api);
    const [type, bytes] = publicKey.split(" ");
    const line = `\t${[type, bytes, "Ada's  laptop, 2nd\tkey"].join(blank)}\r\n`;
    const { status, body } = await caller.post("/keypairs", inputWith(line));
    expect([status, body.errors]).toEqual([201, undefined]);
    expect(body.keypair).toMatchObject({ fingerprint, public_key: `${publicKey} Ada's  laptop, 2nd\tkey` });
    const again = await caller.post("/keypairs", inputWith(`${type}   ${bytes}`));
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  }
});

it.each([
  ["a security key without its application", ["sk-ssh-ed25519@openssh.com", "x".repeat(32)]],
  ["a security key of another length", ["sk-ssh-ed25519@openssh.com", "x".repeat(31), "ssh:"]],
  ["a security key with a field too many", ["sk-ssh-ed25519@openssh.com", "x".repeat(32), "ssh:", "x"]],
  ["a point that is on no curve", ["sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", `\x04${"x".repeat(64)}`, "ssh:"]],
])("refuses %s", async (_name, fields) => {
  const bytes = fields.map((text) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]));
  const line = `${fields[0]} ${Buffer.concat(bytes).toString("base64")}`;
  await expectRefusal(
    db,
    () => owner.post("/keypairs", inputWith(line)),
    "keypair.public_key: is not an OpenSSH public key",
  );
});

it.each([
  ["an empty one", "", /must start with the key type/],
  ["garbage", "hello", /must start with the key type/],
  ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn", /is a private key/],
  ["several lines", `${ed25519.publicKey}\n${rsa.publicKey}`, "keypair.public_key: must be one line"],
  ["options in front", `command="sh" ${ed25519.publicKey}`, /must start with the key type, without options/],
  ["a key that is cut", ed25519.publicKey.slice(0, -8), "keypair.public_key: is not an OpenSSH public key"],
  ["bytes too many", `${ed25519.publicKey}AAAA`, "keypair.public_key: is not an OpenSSH public key"],
  [
    "a kind that is another key's",
    rsa.publicKey.replace("ssh-rsa", "ssh-ed25519"),
    "keypair.public_key: is not an OpenSSH public key",
  ],
  ["a small RSA key", SMALL_RSA, "keypair.public_key: is an RSA key of fewer than 1024 bits"],
  [
    "a kind of another curve",
    ecdsa.publicKey.replace("nistp256", "nistp384"),
    "keypair.public_key: is not an OpenSSH public key",
  ],
])("refuses %s, and writes nothing", async (_name, publicKey, sentence) => {
  await expectRefusal(db, () => owner.post("/keypairs", { keypair: { public_key: publicKey } }), sentence);
});

it("accepts one of several equal concurrent keys of an owner, until the key is removed", async () => {
  const caller = await createCaller(api);
  const answers = await Promise.all([1, 2, 3].map(() => caller.post("/keypairs", inputWith())));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const [id] = idsIn(await caller.get(`/users/${caller.userId}/keypairs`));
  const again = await caller.post(`/users/${caller.userId}/keypairs`, inputWith(`${ed25519.publicKey} again`));
  expect([again.status, again.body.errors]).toEqual([409, [`the owner already has this key: keypair ${id}`]]);
  const removed = await caller.delete(`/keypairs/${id}`);
  expect([removed.status, removed.text]).toEqual([204, ""]);
  expect((await caller.delete(`/keypairs/${id}`)).status).toBe(409);
  expect(idsIn(await caller.get("/keypairs"))).toEqual([]);
  expect(idsIn(await caller.get("/keypairs?deleted=true"))).toEqual([id]);
  expect((await caller.get(`/keypairs/${id}`)).status).toBe(200);
  expect((await caller.post("/keypairs", inputWith())).status).toBe(201);
});

it("shows a user's keys to users of the same account, and allows only the user and staff to change them", async () => {
  const user = await createCaller(api);
  const colleague = await createCaller(api, { accountId: user.accountId, role: "admin" });
  const staff = await createCaller(api, { staff: true });
  const { id } = (await user.post("/keypairs", inputWith())).body.keypair;
  expect(idsIn(await colleague.get("/keypairs"))).toEqual([id]);
  const path = `/users/${user.userId}/keypairs`;
  const answers = [
    await colleague.get(`/keypairs/${id}`),
    await colleague.get(path),
    await colleague.post(path, inputWith(rsa.publicKey)),
    await colleague.delete(`/keypairs/${id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 403]);
  const acts = [() => staff.post(path, inputWith(rsa.publicKey)), () => staff.delete(`/keypairs/${id}`)];
  for (const act of acts) expect((await act()).body.errors).toEqual([expect.stringContaining("Gantry-Reason")]);
  for (const act of acts) expect((await act().set("Gantry-Reason", "a lost laptop")).status).toBeLessThan(300);
  const { audit_records } = (await user.get(`/accounts/${user.accountId}/audit?user=${staff.userId}`)).body;
  expect(audit_records.map(({ action, reason }: Record<string, string>) => [action, reason]).sort()).toEqual([
    ["DELETE /keypairs/:keypair", "a lost laptop"],
    ["POST /users/:user/keypairs", "a lost laptop"],
  ]);
});

it("belongs to an application", async () => {
  const application = await createApplication(db, owner.accountId);
  const path = `/applications/${application.id}/keypairs`;
  const { status, body } = await owner.post(path, inputWith());
  const { id, user, application: shown } = body.keypair;
  expect([status, user, shown]).toEqual([201, null, urlOf(`applications/${application.id}`)]);
  expect(idsIn(await owner.get(path))).toEqual([id]);
  expect((await owner.delete(`/keypairs/${id}`)).status).toBe(204);
  await db.application.update({ where: { id: application.id }, data: { deletedAt: new Date() } });
  expect((await owner.post(path, inputWith())).status).toBe(409);
});

it("is accepted by environments of its application, and of accounts that its user may change", async () => {
  const application = await createApplication(db, owner.accountId);
  const other = await createApplication(db, owner.accountId);
  const environment = await createEnvironment(db, provider, { applicationId: application.id });
  const bare = await createEnvironment(db, provider);
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const stranger = await createCaller(api);
  const add = async (caller: TestCaller, path: string, key: string) =>
    (await caller.post(path, inputWith(key))).body.keypair.id;
  const ofApplication = await add(owner, `/applications/${application.id}/keypairs`, rsa.publicKey);
  await add(owner, `/applications/${other.id}/keypairs`, rsa.publicKey);
  const ofMember = await add(member, "/keypairs", ed25519.publicKey);
  await add(viewer, "/keypairs", ed25519.publicKey);
  await add(stranger, "/keypairs", ed25519.publicKey);
  expect(idsIn(await owner.get(`/environments/${environment.id}/keypairs`))).toEqual([ofMember, ofApplication]);
  expect(idsIn(await owner.get(`/environments/${bare.id}/keypairs`))).toEqual([ofMember]);
});
