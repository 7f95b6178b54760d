import { Conflict, Invalid, type Request, RequestFailed, WaitTimeout } from "@gantry/client";
import { EXIT } from "./exit-codes.js";
import { failureOf } from "./failures.js";
import { nouns } from "./generated/nouns.js";

const factsOf = async (noun: string, verb: string) => (await nouns[noun]?.load())?.noun[verb];
const conflict = (message: string, ...blocking: string[]) =>
  new Conflict(message, { status: 409, blocking: blocking.map((path) => `https://gantry.example.com/${path}`) });
const hintsOf = async (error: unknown, noun: string, verb: string) =>
  (await failureOf(error, { facts: await factsOf(noun, verb) })).hints;

describe("a hint", () => {
  it("proposes the removal of what keeps a record from being removed", async () => {
    const error = conflict("network 1 still contains: subnet 2, environment 3", "subnets/2", "environments/3");
    expect(await hintsOf(error, "networks", "delete")).toEqual([
      "subnet 2    gantry subnets delete 2",
      "environment 3    gantry environments delete 3",
    ]);
  });

  it("never proposes a removal to make room for a creation, or for a change", async () => {
    const taken = conflict("environment 1 already has a server with the name web-2: 8", "servers/8");
    expect(await hintsOf(taken, "servers", "create")).toEqual(["server 8    gantry servers show 8"]);
    const attached = conflict("address 4 is attached to server 5", "servers/5");
    expect(await hintsOf(attached, "addresses", "delete")).toEqual(["server 5    gantry servers show 5"]);
  });

  it("follows the Request that is in the way", async () => {
    const error = conflict("account 1 has an unfinished request: scan_drift r1", "requests/r1");
    expect(await hintsOf(error, "drift", "scan")).toEqual(["request r1    gantry requests watch r1"]);
  });

  it("is what the sentence advises", async () => {
    const servers = conflict("environment 1 already has servers; deprovision it first", "servers/5");
    expect(await hintsOf(servers, "environments", "boot")).toEqual(["gantry environments deprovision 1"]);
    const master = conflict("database server d1 is a master; delete database service d2 instead");
    expect(await hintsOf(master, "database-servers", "delete")).toEqual(["gantry database-services delete d2"]);
    const part = conflict("request r1 was created by another request; retry r2 instead", "requests/r2");
    expect(await hintsOf(part, "requests", "retry")).toEqual(["gantry requests retry r2"]);
  });

  it("offers to retry and to cancel only what can be retried and cancelled", async () => {
    const request = (more: Partial<Request>) => ({ id: "r1", state: "running", ...more }) as Request;
    const failed = (can_retry: boolean) =>
      new RequestFailed(request({ state: "failed", can_retry }), null, undefined, []);
    const hints = async (error: unknown) => (await failureOf(error)).hints;
    expect(await hints(failed(false))).toEqual(["gantry requests why r1"]);
    expect(await hints(failed(true))).toEqual(["gantry requests why r1", "gantry requests retry r1"]);
    expect(await hints(new WaitTimeout(request({ can_cancel: false })))).toEqual(["gantry requests watch r1"]);
    expect(await hints(new WaitTimeout(request({ can_cancel: true })))).toEqual([
      "gantry requests watch r1",
      "gantry requests cancel r1",
    ]);
  });
});

describe("a sentence of the API", () => {
  it("names flags and commands instead of queries and calls", async () => {
    const last = conflict("server 4 is the last application server; to remove it anyway, add ?force=true");
    expect((await failureOf(last)).message).toContain("to remove it anyway, add --force");
    const flavor = new Invalid("there is no flavor x; see GET /providers/2/flavors/compute for all of them");
    expect((await failureOf(flavor)).message).toBe(
      "there is no flavor x; see gantry providers compute-flavors 2 for all of them",
    );
  });

  it("names the flags of an object of the input, or of its members that were given", async () => {
    const facts = await factsOf("environments", "boot");
    const path = "cluster_configuration.configuration.apps";
    const extra = new Invalid("", { details: [{ path, message: `${path}: is not a parameter` }] });
    const words = ["environments", "boot", "--apps-count", "2"];
    expect((await failureOf(extra, { facts, words })).message).toBe("--apps-count: is not a parameter");
    const missing = "cluster_configuration.configuration";
    const none = new Invalid(`param is missing or the value is empty: ${missing}`, { missing });
    expect(await failureOf(none, { facts })).toMatchObject({
      exitCode: EXIT.wrongUse,
      hints: [expect.stringMatching(/^give some of --type, .*--apps-count, .*--db-master-iops/)],
    });
  });

  it("names the flags of members in its text, and says limits in words", async () => {
    const facts = await factsOf("providers", "create");
    const pair = "must contain either role_arn, or access_key_id and secret_access_key; found only access_key_id";
    const details = [
      { path: "provider.credentials", message: pair },
      { path: "x", message: "Too big: expected number to be <=65536" },
    ] as Invalid["details"];
    const words = ["providers", "create", "--access-key-id", "AKIA"];
    expect((await failureOf(new Invalid("", { details }), { facts, words })).message).toBe(
      [
        "--access-key-id: must contain either --role-arn, or --access-key-id and --secret-access-key-stdin; found only --access-key-id",
        "x: must be at most 65536",
      ].join("\n"),
    );
  });
});
