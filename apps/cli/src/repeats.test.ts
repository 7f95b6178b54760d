import { aws } from "@gantry/test/support/account";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";

let live: LiveGantry;
let gantry: TestCommand;
let providerId: number;
let accountId: string;

beforeAll(async () => {
  live = await startLiveGantry();
  const { keys, ...provider } = await live.addProvider();
  ({ providerId } = provider);
  ({ accountId } = keys);
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
});
afterAll(async () => {
  gantry.close();
  await live.close();
});

it("says that a call with the same key was made already, and refuses if its record is gone", async () => {
  const create = ["networks", "create", "--cidr", "10.1.0.0/16", "--location", "us-east-1", "--skip-subnets"];
  const words = [...create, "--name", "again", "--key-prefix", "nightly"];
  const first = await gantry.run(words);
  expect([first.code, first.err]).toEqual([0, expect.stringContaining("Created VPC")]);
  const second = await gantry.run(words);
  expect(second).toEqual({
    code: 0,
    out: first.out,
    err: expect.stringMatching(/^✓ already done at 20\S+ by request \S+\n$/),
  });
  const removal = ["networks", "delete", "again", "--yes"];
  expect(await gantry.run(removal)).toMatchObject({
    code: 0,
    err: expect.stringMatching(/✓ network \S+ is removed\n$/),
  });
  expect(await gantry.run(words)).toMatchObject({
    code: 6,
    out: "",
    err: expect.stringMatching(
      /^✕ already done at .*, and the network that it made is gone\n {2}another --key-prefix /,
    ),
  });
});

it("says so, too, of a record that was made without a Request", async () => {
  const words = ["applications", "create", "--name", "shop", "--type", "rack", "--repository", "git@example.com:a.git"];
  const keyed = [...words, "--idempotency-key", "once"];
  const first = await gantry.run(keyed);
  expect(await gantry.run(keyed)).toEqual({ ...first, err: expect.stringMatching(/^✓ already done at /) });
  expect((await gantry.run(["applications", "delete", "shop", "--yes"])).code).toBe(0);
  expect(await gantry.run(keyed)).toMatchObject({
    code: 6,
    err: expect.stringContaining("another --idempotency-key makes it again"),
  });
});

it("ends a provider's check with its report, and with exit code 1 if something would fail", async () => {
  const check = ["providers", "check", String(providerId)];
  const good = await gantry.run(check);
  expect([good.code, good.out]).toEqual([0, expect.stringMatching(/^CHECK +REGION +RESULT +REASON +REMEDY\n/)]);
  await aws.refuse("CreateVpc", { code: "UnauthorizedOperation", accountId });
  const bad = await gantry.run([...check, "--json"]);
  await aws.clear({ accountId });
  const { checks, request } = JSON.parse(bad.out);
  expect([bad.code, bad.err]).toEqual([1, expect.stringMatching(/✕ \d+ of \d+ checks fail\n$/)]);
  expect(await gantry.run(["requests", "checks", request.id, "--json"])).toMatchObject({
    code: 1,
    out: `${JSON.stringify({ checks }, null, 2)}\n`,
  });
});
