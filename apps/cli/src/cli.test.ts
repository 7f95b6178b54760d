import { execFile } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { aws, createAwsAccount } from "@gantry/test/support/account";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

let live: LiveGantry;
let gantry: TestCommand;
let keys: Awaited<ReturnType<typeof createAwsAccount>>;

beforeAll(async () => {
  live = await startLiveGantry();
  gantry = await bundleCommand();
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

const json = async (...words: string[]) => {
  const { code, out, err } = await gantry.run([...words, "--json"]);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return JSON.parse(out);
};

it("says how to sign in while it knows no address, and no token", async () => {
  expect(await gantry.run(["networks", "list"])).toEqual({
    code: 3,
    out: "",
    err: expect.stringMatching(/^✕ Gantry's address is not known\n {2}gantry login /),
  });
  const { code, err } = await gantry.run(["networks", "list", "--api", live.url]);
  expect([code, err]).toEqual([3, expect.stringContaining("there is no token")]);
});

it("signs in with a token on standard input, and keeps it where only its owner reads it", async () => {
  const { code, err } = await gantry.run(["login", live.url, "--token-stdin"], { input: `${live.owner.token}\n` });
  expect([code, err]).toEqual([0, expect.stringContaining("✓ Signed in as")]);
  const file = join(gantry.env.GANTRY_CONFIG_DIR as string, "config.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toContain(live.owner.token);
});

it("provisions from flags alone, shows every step on a pipe, and the record as one document", async () => {
  keys = await createAwsAccount();
  const provider = ["providers", "create", "--type", "aws", "--name", "main", "--access-key-id", keys.accessKeyId];
  const added = await gantry.run([...provider, "--secret-access-key-stdin", "--json"], { input: keys.secretAccessKey });
  expect([added.code, JSON.parse(added.out)]).toEqual([
    0,
    { request: expect.anything(), provider: expect.objectContaining({ name: "main" }) },
  ]);

  const network = [
    "networks",
    "create",
    "--name",
    "shop",
    "--cidr",
    "10.0.0.0/16",
    "--location",
    "us-east-1",
    "--tags",
    "team=shop",
  ];
  const planned = await gantry.run([...network, "--dry-run"]);
  expect(planned.out).toMatch(/^Plan: provision network \(nothing was changed\)\n {2}\+ {2}1 network/);
  expect((await json("networks", "list")).networks).toEqual([]);

  const { code, out, err } = await gantry.run([...network, "--json"]);
  expect(code).toBe(0);
  const document = JSON.parse(out);
  expect(document).toMatchObject({ request: { state: "finished" }, network: { name: "shop", tags: { team: "shop" } } });
  const lines = err.trim().split("\n");
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ request [\da-f-]{36} accepted$/);
  expect(lines.at(-1)).toMatch(/ finished in \d+:\d\d$/);
  expect(err).not.toContain("\u001b");
});

it("takes names where ids are, and lists what there is if none has the name", async () => {
  const { network } = await json("networks", "show", "shop");
  expect((await json("networks", "show", network.provisioned_id)).network.id).toBe(network.id);
  const { code, err } = await gantry.run(["networks", "show", "shoe"]);
  expect([code, err]).toEqual([5, "✕ there is no network shoe\n  networks: shop\n"]);
  const subnets = await json("subnets", "list", "--network", "shop");
  expect(subnets.subnets.length).toBeGreaterThan(1);
});

it("names the flag that is wrong, and what is missing", async () => {
  const wrong = await gantry.run(["networks", "create", "--cidr", "10.1.0.1/16", "--location", "us-east-1"]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/^✕ --cidr: has bits set beyond its prefix/) });
  const missing = await gantry.run(["servers", "create", "--name", "web-1"]);
  expect([missing.code, missing.err]).toEqual([
    2,
    expect.stringMatching(/^✕ --environment, --flavor, --role are missing\n/),
  ]);
  expect(missing.err).toContain("one of solo, app_master");
});

it("names what is in the way, with the command that shows it", async () => {
  const { code, err } = await gantry.run(["networks", "delete", "shop", "--yes"]);
  expect([code, err]).toEqual([6, expect.stringMatching(/gantry subnets delete [\da-f-]{36}/)]);
});

it("removes nothing without --yes while nobody can answer", async () => {
  const { code, err } = await gantry.run(["networks", "delete", "shop"]);
  expect([code, err]).toEqual([2, "✕ delete network shop: add --yes to do it without a question\n"]);
});

it.each([
  [["networks", "lsit"], /unknown command 'lsit'\n\(Did you mean list\?\)\n {2}gantry networks --help/],
  [["nets"], /unknown command 'nets'/],
  [["networks", "list", "--nme", "x"], /unknown option '--nme'\n\(Did you mean --name\?\)/],
  [["networks", "show"], /missing required argument 'network'/],
  [["networks", "list", "--max", "0"], /--max: 0 is not a whole number above 0/],
  [["networks", "list", "--columns", "id,colour"], /there is no column colour\n {2}columns: id, /],
  [
    ["networks", "create", "--timeout", "soon", "--cidr", "10.8.0.0/16", "--location", "us-east-1"],
    /--timeout: soon is not a duration/,
  ],
  [
    ["networks", "create", "--timeout", "600h", "--cidr", "10.8.0.0/16", "--location", "us-east-1"],
    /--timeout: 600h is too long\n {2}at most 596h/,
  ],
  [
    ["servers", "create", "--volume-size", "big", "--environment", "1", "--flavor", "x", "--role", "app"],
    /--volume-size: big is not a whole number/,
  ],
  [
    ["servers", "create", "--role", "boss", "--environment", "1", "--flavor", "x"],
    /--role: there is no boss\n {2}--role takes solo/,
  ],
  [["networks", "create", "--file", "/none.json"], /\/none\.json cannot be read/],
  [["api", "FETCH", "/networks"], /there is no method FETCH/],
  [["context", "use", "moon"], /there is no context moon/],
] as const)("refuses gantry %j, and says what there is instead, and changes nothing", async (words, sentence) => {
  const { code, out, err } = await gantry.run(words);
  expect([out, err]).toEqual(["", expect.stringMatching(sentence)]);
  expect([2, 5]).toContain(code);
  const { db } = live.api;
  const made = [db.network.count({ where: { cidr: "10.8.0.0/16" } }), db.server.count()];
  expect(await Promise.all(made)).toEqual([0, 0]);
});

it("shows what it made, such as a token that is shown once, also if there is no such column", async () => {
  const { code, out, err } = await gantry.run(["tokens", "create", "--name", "ci", "--columns", "token,colour"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/gty_\w+/)]);
  expect(err).toBe("There is no column colour; all are shown\n  columns: api_token, token\n");
});

it("stops waiting after --timeout, and the work goes on", async () => {
  const words = ["networks", "create", "--cidr", "10.2.0.0/16", "--location", "us-east-1", "--timeout", "0.001s"];
  const { code, err } = await gantry.run(words);
  expect([code, err]).toEqual([
    7,
    expect.stringMatching(/waited long enough[\s\S]*gantry requests watch [\da-f-]{36}/),
  ]);
  const id = /watch ([\da-f-]{36})/.exec(err)?.[1] as string;
  expect(await gantry.run(["requests", "watch", id])).toMatchObject({
    code: 0,
    err: expect.stringContaining("finished in"),
  });
});

it("prints the Request's id alone with --no-wait", async () => {
  const { code, out } = await gantry.run([
    "networks",
    "create",
    "--cidr",
    "10.3.0.0/16",
    "--location",
    "us-east-1",
    "--no-wait",
  ]);
  expect([code, out]).toEqual([0, expect.stringMatching(/^[\da-f-]{36}\n$/)]);
  const { code: ended, err } = await gantry.run(["requests", "cancel", out.trim(), "--yes"]);
  expect([ended, err]).toEqual([0, expect.stringMatching(/Cancelled\. Nothing is left in AWS|had ended already/)]);
});

it("repeats nothing when a script with a key prefix runs again", async () => {
  const words = [
    "networks",
    "create",
    "--cidr",
    "10.4.0.0/16",
    "--location",
    "us-east-1",
    "--key-prefix",
    "nightly-7",
    "--json",
  ];
  expect((await gantry.run([...words, "--dry-run"])).code).toBe(0);
  const [first, second] = [await gantry.run(words), await gantry.run(words)];
  expect(JSON.parse(second.out).request.id).toBe(JSON.parse(first.out).request.id);
  const { networks } = await json("networks", "list", "--all");
  expect(networks.filter(({ cidr }: { cidr: string }) => cidr === "10.4.0.0/16")).toHaveLength(1);
});

it("reads the input from a file, and flags win", async () => {
  const file = join(gantry.env.HOME as string, "network.yaml");
  writeFileSync(file, "network:\n  cidr: 10.5.0.0/16\n  location: us-east-1\n  name: from-file\n");
  const { network } = await json(
    "networks",
    "create",
    "--file",
    file,
    "--name",
    "from-flag",
    "--set",
    "network.skip_subnets=true",
  );
  expect(network).toMatchObject({ name: "from-flag", cidr: "10.5.0.0/16" });
});

it("prints tables, YAML, names and ids", async () => {
  const { out: table } = await gantry.run(["networks", "list", "--columns", "name,cidr", "--name", "shop"]);
  expect(table).toBe("NAME  CIDR\nshop  10.0.0.0/16\n");
  expect((await gantry.run(["networks", "list", "--name", "shop", "-o", "yaml"])).out).toMatch(
    /^networks:\n {2}- id: /,
  );
  expect((await gantry.run(["networks", "list", "--name", "shop", "-o", "name"])).out).toBe("shop\n");
  expect((await gantry.run(["networks", "list", "--name", "shop", "-q"])).out).toMatch(/^[\da-f-]{36}\n$/);
});

it("reads more than a page, and says how many it left out", async () => {
  const { err } = await gantry.run(["networks", "list", "--max", "2"]);
  expect(err).toMatch(/^2 of \d+; --all shows all\n$/);
  const { networks } = await json("networks", "list", "--all");
  expect(new Set(networks.map(({ id }: { id: string }) => id)).size).toBe(networks.length);
});

it("makes any call of the API", async () => {
  expect(JSON.parse((await gantry.run(["api", "GET", "/networks?per_page=1"])).out).networks).toHaveLength(1);
  const all = JSON.parse((await gantry.run(["api", "get", "/networks?per_page=2", "--paginate"])).out);
  expect(all.networks.length).toBe((await json("networks", "list", "--all")).networks.length);
});

it("completes nouns, verbs, flags, words of the API and names of records", async () => {
  const complete = async (...words: string[]) =>
    (await gantry.run(["__complete", ...words])).out.split("\n").filter(Boolean);
  expect(await complete("netw")).toEqual(["networks"]);
  expect(await complete("networks", "")).toEqual(expect.arrayContaining(["list", "show", "create"]));
  expect(await complete("networks", "create", "--ci")).toEqual(["--cidr"]);
  expect(await complete("servers", "create", "--role", "app")).toEqual(["app_master", "app"]);
  expect(await complete("networks", "show", "sh")).toEqual(["shop"]);
  expect(await complete("subnets", "list", "--network", "sh")).toEqual(["shop"]);
});

it("refuses a file of contexts that others can read", async () => {
  const other = await bundleCommand();
  const folder = other.env.GANTRY_CONFIG_DIR as string;
  await other.run(["login", live.url, "--token-stdin"], { input: live.owner.token });
  const { chmodSync } = await import("node:fs");
  chmodSync(join(folder, "config.json"), 0o644);
  expect(await other.run(["whoami"])).toMatchObject({ code: 2, err: expect.stringContaining("chmod 600") });
  other.close();
});

it("says that Gantry was not reached, and what to try", async () => {
  const { code, err } = await gantry.run(["networks", "list"], {
    env: { GANTRY_URL: "http://127.0.0.1:9", GANTRY_TOKEN: "x" },
  });
  expect([code, err]).toEqual([
    9,
    expect.stringMatching(/Gantry was not reached: no response from http:\/\/127\.0\.0\.1:9[\s\S]*gantry doctor/),
  ]);
}, 60_000);

it("refuses to send a token in clear text to another machine", async () => {
  const { code, err } = await gantry.run(["networks", "list", "--api", "http://gantry.example.com"], {
    env: { GANTRY_TOKEN: "x" },
  });
  expect([code, err]).toEqual([2, expect.stringContaining("would send the token in clear text")]);
});

it("reads all pages, also of a list that is paged by number", async () => {
  const [{ id }] = (await json("providers", "list")).providers;
  const path = `/providers/${id}/flavors/compute`;
  const total = Number((await live.owner.get(path)).headers["x-total-count"]);
  expect(total).toBeGreaterThan(100);
  expect((await json("providers", "compute-flavors", String(id), "--all")).flavors).toHaveLength(total);
  expect((await json("api", "GET", `${path}?per_page=100`, "--paginate")).flavors).toHaveLength(total);
});

it("writes a long output whole, also for a reader that is slower", async () => {
  const [{ id }] = (await json("providers", "list")).providers;
  const command = `gantry providers compute-flavors ${id} --all --json | { sleep 1; cat; }`;
  const env = { ...gantry.env, PATH: `${gantry.bin}:${gantry.env.PATH}` };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { env, maxBuffer: 64 * 1024 * 1024 });
  // More than a pipe holds.
  expect(stdout.length).toBeGreaterThan(100_000);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

it("shows what a change in place does and costs before it makes it", async () => {
  const { volume } = await json("volumes", "create", "--location", "us-east-1a", "--size", "10", "--name", "data");
  const { out } = await gantry.run(["volumes", "modify", "data", "--size", "20", "--dry-run"]);
  expect(out).toMatch(/~ {2}size 10 → 20\n {5}The volume stays available[\s\S]*Back: AWS never shrinks a volume/);
  expect(out).toMatch(/Estimate \$1\.60 a month \(\+\$0\.80\) in us-east-1/);
  expect((await json("volumes", "show", String(volume.id))).volume.size).toBe(10);
  expect((await json("volumes", "modify", "data", "--size", "20")).volume).toMatchObject({ id: volume.id, size: 20 });
  const shrunk = await gantry.run(["volumes", "modify", "data", "--size", "15"]);
  expect([shrunk.code, shrunk.err]).toEqual([2, expect.stringMatching(/^✕ --size: must be at least the 20 GB/)]);
});

it("names what a removal removes, before it removes it", async () => {
  const { volume } = await json("volumes", "create", "--location", "us-east-1a", "--size", "10", "--name", "old");
  const { out } = await gantry.run(["volumes", "delete", "old", "--dry-run"]);
  expect(out).toMatch(
    new RegExp(`-  volume ${volume.id}  old  vol-[\\da-f]+\n.*of these kinds .* removed too: volume\\.`),
  );
  expect((await json("volumes", "show", "old")).volume.deleted_at).toBeNull();
});

describe("the exit code says how the work ended:", () => {
  const create = (cidr: string, ...more: string[]) => {
    const input = ["--cidr", cidr, "--location", "us-east-1", "--skip-subnets"];
    return gantry.run(["networks", "create", ...input, ...more]);
  };
  const refuseOnce = async (...actions: string[]) => {
    for (const action of actions) {
      const { accessKeyId } = keys;
      await aws.refuse(action, { code: "UnauthorizedOperation", times: 1, accessKeyId });
    }
  };

  it("1 if it failed and nothing is left", async () => {
    await refuseOnce("AttachInternetGateway");
    const { code, err } = await create("10.60.0.0/16");
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/✕ failed: .*ec2:AttachInternetGateway in AWS[^✕]*[\s\S]*gantry requests why /),
    ]);
    expect(err).not.toContain("left in AWS");
  });

  it("11 if something is left in AWS, and names it", async () => {
    await refuseOnce("AttachInternetGateway", "DeleteVpc");
    const { code, err } = await create("10.61.0.0/16");
    expect([code, err]).toEqual([11, expect.stringMatching(/left in AWS: vpc vpc-\w+ in us-east-1/)]);
  });

  it("8 if it was cancelled", async () => {
    const { accessKeyId } = keys;
    await aws.refuse("AttachInternetGateway", { code: "RequestLimitExceeded", accessKeyId });
    const { out } = await create("10.62.0.0/16", "--no-wait");
    const id = out.trim();
    const cancelled = await gantry.run(["requests", "cancel", id, "--yes"]);
    expect([cancelled.code, cancelled.err]).toEqual([0, expect.stringContaining("Nothing is left in AWS")]);
    expect((await gantry.run(["requests", "watch", id])).code).toBe(8);
    await aws.clear({ accessKeyId });
  });

  it("10 if a dry run has something to do, and with --exit-code alone", async () => {
    expect((await create("10.63.0.0/16", "--dry-run")).code).toBe(0);
    expect((await create("10.63.0.0/16", "--dry-run", "--exit-code")).code).toBe(10);
  });
});

it("hides secrets in a table, unless they are asked for by name", async () => {
  const { environment } = await json("environments", "create", "--name", "vault");
  const show = ["environments", "show", String(environment.id)];
  const { out } = await gantry.run(show);
  expect(out).not.toContain("PRIVATE KEY");
  expect(out).toContain("(hidden; --columns internal_private_key shows it)");
  expect((await gantry.run([...show, "--columns", "internal_private_key"])).out).toContain("PRIVATE KEY");
});

it("revokes the token when it signs out", async () => {
  const refused = await gantry.run(["logout"]);
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringMatching(/which gantry login did not create: add --yes\n {2}gantry context remove /),
  ]);
  const { code } = await gantry.run(["logout", "--yes"]);
  expect(code).toBe(0);
  expect((await live.owner.get("/users/current")).status).toBe(401);
});
