import { randomUUID } from "node:crypto";
import { aws, createAwsAccount } from "../support/account.js";
import { createCaller } from "../support/api.js";
import { type Json, type LiveGantry, startLiveGantry } from "../support/live.js";
import { SSH_KEYS } from "../support/ssh-keys.js";

let gantry: LiveGantry;

beforeAll(async () => {
  gantry = await startLiveGantry();
});
afterAll(() => gantry.close());

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** The parameters as a query in Rails' nested form: a bare key is null. */
function nested(value: Value, name = ""): string[] {
  if (value === null) return [encodeURIComponent(name)];
  if (Array.isArray(value)) return value.flatMap((each) => nested(each, `${name}[]`));
  if (typeof value === "object")
    return Object.entries(value).flatMap(([key, each]) => nested(each, name ? `${name}[${key}]` : key));
  return [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`];
}

/** A client of the family of APIs that the specification describes: it sends forms without a body, and polls without a pause. */
class FormClient {
  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  async send(method: string, path: string, parameters: { [name: string]: Value } = {}): Promise<Record<string, Json>> {
    const query = nested(parameters).join("&");
    const answer = await fetch(`${this.url}${path}${query && `?${query}`}`, {
      method,
      headers: {
        "X-Auth-Token": this.token,
        Accept: "application/vnd.service.v3+json",
        "Content-Type": "application/x-www-form-urlencoded",
        ...this.headers,
      },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : {};
  }

  /** The record that a Request leaves, when it has ended well. */
  async finished({ request }: Record<string, Json>): Promise<Json> {
    for (let current = request; ; current = (await this.send("GET", `/requests/${request?.id}`)).request) {
      if (!current?.finished_at) continue;
      expect([current.type, current.successful, current.message]).toEqual([current.type, true, null]);
      const { pathname } = new URL(String((current.subject as Json).url));
      const [record = {}] = Object.values(await this.send("GET", pathname));
      return record;
    }
  }

  async finish(method: string, path: string, parameters?: { [name: string]: Value }): Promise<Json> {
    return this.finished(await this.send(method, path, parameters));
  }
}

const pathOf = (url: unknown) => new URL(String(url)).pathname;

it("goes from nothing to a database with a replica and back with forms and the parameters that older clients send", async () => {
  const staffCaller = await createCaller(gantry.api, { staff: true });
  const staff = new FormClient(gantry.url, staffCaller.token, { "Gantry-Reason": "set-up" });
  const email = `${randomUUID()}@example.com`;
  const password = "correct horse battery staple";
  const { user } = await staff.send("POST", "/users", { user: { name: "Ada", email, password: null } });
  const { account } = await staff.send("POST", "/accounts", {
    account: { name_prefix: "ada", plan: "premium", type: "beta", signup_via: "partner" },
    owner: String(user?.id),
  });
  await staff.send("PUT", `/users/${user?.id}/password`, { password });
  const { api_token: token } = await staff.send("POST", "/tokens", {
    email,
    password,
    token: { scopes: ["read", "write", "admin"] },
  });
  const client = new FormClient(gantry.url, String(token));

  const keys = await createAwsAccount();
  const provider = await client.finish("POST", `/accounts/${account?.id}/providers`, {
    account: String(account?.id),
    provider: {
      type: "aws",
      provisioned_id: "000000000000",
      credentials: { aws_secret_id: keys.accessKeyId, aws_secret_key: keys.secretAccessKey, aws_login: "ada" },
    },
  });
  expect(provider.provisioned_id).toBe(keys.accountId);
  const providerId = Number(provider.id);

  const { application } = await client.send("POST", "/applications", {
    account: String(account?.id),
    application: { name: "shop", repository: "git@example.com:ada/shop.git", type: "rails4" },
  });
  await client.send("POST", "/keypairs", {
    user: null,
    keypair: { name: "ada", public_key: SSH_KEYS.ed25519.publicKey },
  });
  const network = await client.finish("POST", "/networks", {
    provider: providerId,
    network: { cidr: "10.0.0.0/16", location: "us-east-1", skip_subnets: false },
  });
  const { environment } = await client.send("POST", `/accounts/${account?.id}/environments`, {
    account: String(account?.id),
    network: String(network.id),
    environment: {
      name: "production",
      application_id: Number(application?.id),
      database_stack: "postgres9_4",
      framework_env: "production",
      language: "Ruby 2.2",
      encrypted_ebs_for_everything: true,
    },
  });
  await client.finish("POST", `/environments/${environment?.id}/boot`, {
    cluster_configuration: { configuration: { type: "production-cluster" }, blueprint_id: null },
  });

  const server = await client.finish("POST", "/servers", {
    environment: Number(environment?.id),
    snapshot: null,
    wait_for_chef: true,
    force: false,
    server: {
      name: "worker",
      flavor: "m3.medium",
      role: "util",
      location: null,
      release_label: null,
      volume_size: "30",
      iops: null,
    },
  });
  await client.finish("PUT", `/servers/${server.id}/stop`);
  await client.finish("PUT", `/servers/${server.id}/start`);
  const address = await client.finish("POST", "/addresses", {
    provider: providerId,
    address: { scope: "vpc", location: "us-east-1" },
  });
  await client.finish("PUT", `/addresses/${address.id}/attach`, { server: Number(server.id) });
  await client.finish("PUT", `/addresses/${address.id}/detach`);

  const { alert } = await client.send("POST", "/alerts", {
    server_id: Number(server.id),
    alert: {
      name: "load",
      external_id: "load-1",
      message: "high",
      severity: "warning",
      finished_at: null,
      ignored: false,
    },
  });
  const finished = await client.send("PUT", `/alerts/${alert?.id}`, {
    alert: { acknowledged: true, finished_at: "2026-11-25 01:34:49 +0000", external_id: "load-1", severity: "warning" },
  });
  expect(finished.alert).toMatchObject({ acknowledged: true, finished_at: "2026-11-25T01:34:49+00:00" });

  const service = await client.finish("POST", "/database-services", {
    provider: providerId,
    network: String(network.id),
    database_service: { name: "orders", email_alert_level: "2" },
    database_server: {
      engine: "postgres",
      version: "9.6.3",
      flavor: "db.m4.large",
      location: "us-east-1a",
      storage: "20",
    },
  });
  const { database_servers: servers } = await client.send("GET", pathOf(service.servers));
  const [primary] = servers as unknown as Json[];
  const replica = await client.finish("POST", "/database-servers", {
    provider: providerId,
    database_server: { replication_source: String(primary?.id), flavor: "db.m4.large" },
  });
  await client.finish("POST", `/database-servers/${primary?.id}/snapshots`, { name: null });

  await client.finish("DELETE", `/database-servers/${replica.id}`);
  await client.finish("DELETE", `/database-services/${service.id}`);
  const { database_server_snapshots: copies } = await client.send(
    "GET",
    `/providers/${providerId}/database_server_snapshots`,
  );
  // The snapshot that was asked for, and the last one of the service.
  expect(copies).toHaveLength(2);
  for (const { id } of copies as unknown as Json[]) await client.finish("DELETE", `/database_server_snapshots/${id}`);
  await client.finish("DELETE", `/addresses/${address.id}`);
  await client.finish("DELETE", `/servers/${server.id}`, { skip_snapshot: true });
  await client.finish("PUT", `/environments/${environment?.id}/deprovision`);
  await client.finish("DELETE", `/environments/${environment?.id}`);
  const { subnets } = await client.send("GET", "/subnets", { network: String(network.id) });
  for (const { id } of subnets as unknown as Json[]) await client.finish("DELETE", `/subnets/${id}`);
  await client.finish("DELETE", `/networks/${network.id}`);
  const left = await aws.inventory(keys);
  expect(Object.entries(left).filter(([kind, objects]) => objects.length > 0 && kind !== "iam_user")).toEqual([]);
  await client.finish("DELETE", `/providers/${providerId}`);
});

it("adds providers one after the other, of which only the first reads what AWS offers", async () => {
  const { accountId, token } = await createCaller(gantry.api);
  const client = new FormClient(gantry.url, token);
  const readers: string[] = [];
  for (let i = 0; i < 8; i++) {
    const keys = await createAwsAccount();
    const credentials = { aws_secret_id: keys.accessKeyId, aws_secret_key: keys.secretAccessKey };
    const added = await client.send("POST", `/accounts/${accountId}/providers`, {
      provider: { type: "aws", credentials },
    });
    await client.finished(added);
    const action = "DescribeInstanceTypeOfferings";
    if ((await aws.calls({ accessKeyId: keys.accessKeyId, action })).length > 0) readers.push(`provider ${i}`);
  }
  // A test before may have read them, too.
  expect(readers.filter((name) => name !== "provider 0")).toEqual([]);
});
