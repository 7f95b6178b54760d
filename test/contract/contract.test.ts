import { randomUUID } from "node:crypto";
import { openApi } from "@gantry/api";
import type { Provider } from "@gantry/db";
import { IAM_POLICIES } from "@gantry/requests";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createAddress,
  createApplication,
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  createSnapshot,
  createVolume,
  REGION,
  startTestApi,
  type TestApi,
  type TestCaller,
  ZONE,
} from "../support/api.js";
import { createDatabase } from "../support/databases.js";
import { SSH_KEYS } from "../support/ssh-keys.js";
import { ENDPOINTS } from "./endpoints.js";
import { isOfType, RECORDS } from "./records.js";

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
  responses: Record<string, unknown>;
}
interface Schema {
  properties?: Record<string, Schema>;
  required?: string[];
}

const { paths } = openApi() as { paths: Record<string, Record<string, Operation>> };

// Two names of one parameter are the same place.
const places = new Map(Object.entries(paths).map(([path, operations]) => [path.replace(/\{\w+\}/g, ":"), operations]));

function operationOf(route: string): Operation | undefined {
  const [method = "", path = ""] = route.split(" ");
  return places.get(path.replace(/:\w+/g, ":"))?.[method.toLowerCase()];
}

describe.each(ENDPOINTS)("$route", ({ route, takes = [], query = [], status }) => {
  const operation = operationOf(route);

  it("is there", () => {
    expect(Object.keys(operation?.responses ?? {})).toContain(String(status));
  });

  it("takes every parameter of the specification", () => {
    const named = operation?.parameters?.filter((parameter) => parameter.in === "query").map(({ name }) => name) ?? [];
    for (const name of query) expect(named).toContain(name);
    for (const name of takes) {
      const [path = "", isRequired] = [name.replace("!", ""), name.endsWith("!")];
      let schema = operation?.requestBody?.content["application/json"].schema;
      if (isRequired) expect(schema?.required).toContain(path);
      for (const part of path.split(".")) schema = schema?.properties?.[part];
      expect([path, schema]).toEqual([path, expect.anything()]);
    }
  });
});

describe("a record", () => {
  let api: TestApi;
  let owner: TestCaller;
  let provider: Provider;
  const addresses: Record<string, string> = {};

  beforeAll(async () => {
    api = await startTestApi();
    owner = await createCaller(api);
    provider = await createProvider(api.db, owner.accountId);
    const { accountId } = owner;
    const { id: networkId } = await createNetwork(api.db, provider);
    const subnetId = randomUUID();
    const subnet = {
      id: subnetId,
      accountId,
      networkId,
      location: ZONE,
      cidr: "10.0.0.0/24",
      provisionedId: "subnet-1",
    };
    await api.db.subnet.create({ data: subnet });
    const roleId = randomUUID();
    const arns = { arn: "arn:aws:iam::1:role/r", policyArn: "arn:aws:iam::1:policy/p", provisionedId: "AROA1" };
    const documents = {
      policy: IAM_POLICIES.KubeyPolicy as object,
      assumeRolePolicyDocument: { Version: "2012-10-17", Statement: [] },
    };
    await api.db.iamRole.create({
      data: { id: roleId, accountId, providerId: provider.id, name: "r", ...arns, ...documents },
    });
    const { id: environmentId } = await createEnvironment(api.db, provider);
    const groupId = randomUUID();
    const sizes = { minimumSize: 1, maximumSize: 2, desiredCapacity: 1 };
    const place = { accountId, providerId: provider.id, environmentId, region: REGION };
    await api.db.autoScalingGroup.create({ data: { id: groupId, ...place, ...sizes, provisionedId: "group" } });
    const wanted = { provider: provider.id, network: { cidr: "10.1.0.0/16", location: REGION } };
    const requestId = (await owner.post("/networks", wanted)).body.request.id;
    const application = await createApplication(api.db, accountId);
    const made = { environment: { name: "main", application_id: application.id }, network: networkId };
    const { environment } = (await owner.post(`/accounts/${accountId}/environments`, made)).body;
    const server = await createServer(
      api.db,
      await api.db.environment.findUniqueOrThrow({ where: { id: environment.id } }),
      { subnetId },
    );
    const alarm = { alert: { name: "load", external_id: "1", message: "high", severity: "warning" } };
    await owner.post(`/servers/${server.id}/alerts`, alarm);
    await owner.post(`/environments/${environment.id}/blueprints`, { blueprint: { name: "main" } });
    const { publicKey } = SSH_KEYS.ed25519;
    await owner.post("/keypairs", { keypair: { public_key: publicKey } });
    await owner.post(`/applications/${application.id}/keypairs`, { keypair: { public_key: publicKey } });
    const ended = { startedAt: new Date(), finishedAt: new Date(), successful: true, stage: "create" };
    await api.db.request.update({ where: { id: requestId }, data: ended });
    await createAddress(api.db, provider, { serverId: server.id });
    const volume = await createVolume(api.db, provider, { serverId: server.id, device: "/dev/xvdf" });
    const snapshot = await createSnapshot(api.db, server, volume);
    const database = await createDatabase(api.db, api.env, { accountId, provider });
    const said = { id: randomUUID(), requestId: database.requestId, stage: "create-master", message: "Created" };
    await api.db.requestMessage.create({ data: said });
    Object.assign(addresses, {
      server: `/servers/${server.id}`,
      snapshot: `/snapshots/${snapshot.id}`,
      request: `/requests/${requestId}`,
      account: `/accounts/${accountId}`,
      provider: `/providers/${provider.id}`,
      provider_location: `/providers/${provider.id}/locations`,
      location: "/providers/aws/locations",
      flavor: `/providers/${provider.id}/flavors/compute`,
      "database_server that can be had": `/providers/${provider.id}/database-server`,
      database_service: `/database-services/${database.id}`,
      database_server: `/database-servers/${database.masterId}`,
      message: `/database-services/${database.id}/messages`,
      network: `/networks/${networkId}`,
      subnet: `/subnets/${subnetId}`,
      application: `/applications/${application.id}`,
      keypair: "/keypairs",
      alert: "/alerts",
      environment: `/environments/${environment.id}`,
      iam_role: `/iam_roles/${roleId}`,
      auto_scaling_group: `/auto_scaling_groups/${groupId}`,
    });
  });
  afterAll(() => api.close());

  it.each(Object.entries(RECORDS))("%s has the specified fields and types, and no other", async (kind, fields) => {
    const { body } = await owner.get(addresses[kind] ?? "");
    const [name = ""] = kind.split(" ");
    const records: Record<string, unknown>[] = body[name] ? [body[name]] : body[`${name}s`];
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      expect(Object.keys(record).sort()).toEqual(Object.keys(fields).sort());
      const wrong = Object.entries(fields).filter(([field, type]) => !isOfType(record[field], type));
      expect(wrong.map(([field, type]) => `${field} should be ${type}: ${JSON.stringify(record[field])}`)).toEqual([]);
    }
  });

  it("links only to what answers 200 to its owner", async () => {
    const seen = new Set<string>(["/accounts"]);
    const dead: string[] = [];
    for (const path of seen) {
      const { status, text } = await owner.get(path);
      if (status !== 200) dead.push(`${status} ${path}`);
      for (const [, next] of text.matchAll(/"http:\/\/gantry\.test(\/[^"]+)"/g)) seen.add(next ?? "");
    }
    expect(dead).toEqual([]);
    expect(seen.size).toBeGreaterThan(40);
  });

  it("lists the specified compute flavors and engine versions", async () => {
    const flavors = (await owner.get(addresses.flavor ?? "")).body.flavors;
    expect(flavors).toHaveLength(18);
    expect(flavors[0]).toMatchObject({ id: "m3_medium", api_name: "m3.medium", name: "m3_medium", architecture: 64 });
    const optimized = flavors.filter((flavor: { volume_optimized: boolean }) => flavor.volume_optimized);
    expect(optimized.map(({ id }: { id: string }) => id)).toEqual([
      "c4_large",
      "c4_xlarge",
      "m4_large",
      "m4_xlarge",
      "r4_large",
      "r4_xlarge",
    ]);
    const { versions } = (await owner.get(`/providers/${provider.id}/database-server/versions`)).body;
    expect(versions.aurora).toEqual(["5.6.10a"]);
    expect([versions.mysql.length, versions.postgres.length]).toEqual([9, 9]);
    expect((await owner.get("/providers/aws/locations")).body.locations).toHaveLength(14);
  });
});
