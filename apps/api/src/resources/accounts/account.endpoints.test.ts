import { createCaller } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { expect, it } from "@jest/globals";
import { requiresEncryption } from "./account.encryption.js";

const { api, db, owner } = await startApiTest();
const path = `/accounts/${owner.accountId}`;

it("requires encryption only where an administrator says so", async () => {
  expect((await owner.get(path)).body.account.encryption).toBe("optional");
  expect((await owner.put(path, { account: { encryption: "required" } })).body.account.encryption).toBe("required");
  expect(await requiresEncryption(db, owner.accountId)).toBe(true);
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const readerWriter = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  for (const caller of [member, readerWriter]) {
    const { status, body } = await caller.put(path, { account: { encryption: "optional" } });
    expect([status, body.errors]).toEqual([403, ["only an administrator may change the encryption of an account"]]);
  }
  expect((await member.put(path, { account: { emergency_contact: "me" } })).body.account).toMatchObject({
    emergency_contact: "me",
    encryption: "required",
  });
});

it("creates environments whose disks are all encrypted where the account requires it", async () => {
  const caller = await createCaller(api);
  await caller.put(`/accounts/${caller.accountId}`, { account: { encryption: "required" } });
  const create = (environment: object) => caller.post(`/accounts/${caller.accountId}/environments`, { environment });
  const { body } = await create({ name: "safe" });
  expect(body.environment.encrypted_ebs_for_everything).toBe(true);
  const sentence =
    "environment.encrypted_ebs_for_everything: cannot be false: the account's setting encryption is required";
  const open = { encrypted_ebs_for_everything: false };
  for (const refused of [
    await create({ name: "open", ...open }),
    await caller.put(`/environments/${body.environment.id}`, { environment: open }),
  ]) {
    expect([refused.status, refused.body.errors]).toEqual([422, [sentence]]);
  }
});

it("refuses other values of the encryption", async () => {
  const { status, body } = await owner.put(path, { account: { encryption: "always" } });
  expect([status, body.errors[0]]).toEqual([422, expect.stringContaining("account.encryption")]);
});
