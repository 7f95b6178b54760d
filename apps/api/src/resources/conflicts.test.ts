import {
  createAddress,
  createCaller,
  createEnvironment,
  createServer,
  createSnapshot,
  createVolume,
  ZONE,
} from "@gantry/test/support/api";
import { startApiTest, urlOf } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";

const { api, db, owner, provider } = await startApiTest();
const environment = await createEnvironment(db, provider);
const empty = await createEnvironment(db, provider);
const server = await createServer(db, environment, { role: "util" });
const attached = await createAddress(db, provider, { serverId: server.id });
await db.server.update({ where: { id: server.id }, data: { addressId: attached.id } });
const spare = await createAddress(db, provider);
const database = await createDatabase(db, api.env, { accountId: owner.accountId, provider });
const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
const membershipOf = (userId: string) => db.membership.findFirstOrThrow({ where: { userId } });
const boot = (id: number, cluster_configuration: object) =>
  owner.post(`/environments/${id}/boot`, { cluster_configuration });

interface Case {
  act(): PromiseLike<{ status: number; body: { details: object[]; blocking?: string[] } }>;
  /** The parameter that caused it; empty if none did. */
  path: string;
  /** The records in the way. */
  blocking: () => string[] | Promise<string[]>;
}

const CASES: Record<string, Case> = {
  "a boot with servers": {
    act: () => boot(environment.id, { configuration: { type: "solo" } }),
    path: "",
    blocking: () => [`servers/${server.id}`],
  },
  "a boot with an attached address": {
    act: () => boot(empty.id, { configuration: { type: "solo", ip_id: attached.id } }),
    path: "cluster_configuration.configuration.ip_id",
    blocking: () => [`servers/${server.id}`],
  },
  "an address for a server that has one": {
    act: () => owner.post(`/addresses/${spare.id}/attach`, { server: `http://gantry.test/servers/${server.id}` }),
    path: "server",
    blocking: () => [`addresses/${attached.id}`],
  },
  "an attached address for another server": {
    act: async () => {
      const other = await createServer(db, environment, { role: "util" });
      const answer = await owner.post(`/addresses/${attached.id}/attach`, { server: other.id });
      await db.server.delete({ where: { id: other.id } });
      return answer;
    },
    path: "",
    blocking: () => [`servers/${server.id}`],
  },
  "a volume from a deleted snapshot": {
    act: async () => {
      const { id } = await createSnapshot(db, server, await createVolume(db, provider), { deletedAt: new Date() });
      return owner.post("/volumes", { provider: provider.id, snapshot: id, volume: { location: ZONE } });
    },
    path: "snapshot",
    blocking: () => [],
  },
  "a second server with a master's role": {
    act: async () => {
      await db.server.update({ where: { id: server.id }, data: { role: "db_master" } });
      const answer = await owner.post("/servers", {
        environment: environment.id,
        server: { role: "db_master", flavor: "m3.medium" },
      });
      await db.server.update({ where: { id: server.id }, data: { role: "util" } });
      return answer;
    },
    path: "server.role",
    blocking: () => [`servers/${server.id}`],
  },
  "an invitation of a member": {
    act: () =>
      owner.post(`/accounts/${owner.accountId}/invitations`, {
        invitation: { email: `${member.userId}@example.com`, role: "viewer" },
      }),
    path: "invitation.email",
    blocking: async () => [`memberships/${(await membershipOf(member.userId)).id}`],
  },
  "another role of the last owner": {
    act: async () =>
      owner.put(`/memberships/${(await membershipOf(owner.userId)).id}`, { membership: { role: "viewer" } }),
    path: "membership.role",
    blocking: () => [`accounts/${owner.accountId}`],
  },
  "the end of the last owner": {
    act: () => owner.delete(`/users/${owner.userId}`),
    path: "",
    blocking: () => [`accounts/${owner.accountId}`],
  },
  "the removal of a database's master": {
    act: () => owner.delete(`/database-servers/${database.masterId}`),
    path: "",
    blocking: () => [`database-services/${database.id}`],
  },
  "a replica too many": {
    act: async () => {
      const send = () => owner.post("/database-servers", { replication_source: database.masterId });
      for (let i = 0; i < 15; i++) await send();
      return send();
    },
    path: "replication_source",
    blocking: async () => {
      const replicas = await db.databaseServer.findMany({ where: { replicationSourceId: database.masterId } });
      return replicas.map(({ id }) => `database-servers/${id}`);
    },
  },
};

it.each(Object.entries(CASES))("names what prevents %s, and the parameter", async (_what, each) => {
  const { status, body } = await each.act();
  expect([status, body.details]).toEqual([409, [expect.objectContaining({ path: each.path })]]);
  expect([...(body.blocking ?? [])].sort()).toEqual((await each.blocking()).map(urlOf).sort());
});
