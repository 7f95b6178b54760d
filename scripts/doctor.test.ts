import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { aws } from "../test/support/account.js";
import { type LiveGantry, startLiveGantry } from "../test/support/live.js";

const root = fileURLToPath(new URL("..", import.meta.url));
let gantry: LiveGantry;
let provider: Awaited<ReturnType<LiveGantry["addProvider"]>>;

beforeAll(async () => {
  gantry = await startLiveGantry();
  provider = await gantry.addProvider();
});
afterAll(() => gantry.close());

async function doctor(...words: string[]) {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.owner.token };
  const program = ["--conditions=gantry-source", "--import", "tsx", "scripts/doctor.ts", ...words];
  const child = spawn(process.execPath, program, { cwd: root, env });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve))), out, err };
}

it("prints each line with its remedy and who can act, and exits with 0 if nothing fails", async () => {
  const { code, out } = await doctor("--provider", String(provider.providerId), "--region", "us-east-1");
  expect(out).toMatch(/^ok +credentials +Gantry acts as arn:aws:iam::/m);
  expect(out).toMatch(/^warning +external id .*\n +→ the owner: Use a role$/m);
  expect(out).toMatch(/0 fail, 1 warnings, \d+ ok\. Nothing was changed\.\n$/);
  expect(code).toBe(0);
});

it("exits with 1 if something fails, and prints JSON", async () => {
  const { accountId } = provider.keys;
  const id = await aws.refuse("CreateVpc", { service: "ec2", code: "UnauthorizedOperation", accountId });
  const { code, out } = await doctor("--provider", String(provider.providerId), "--region", "us-east-1", "--json");
  await aws.clear({ id });
  const { checks } = JSON.parse(out) as { checks: { check: string; result: string }[] };
  expect(checks.filter(({ result }) => result === "fails").map(({ check }) => check)).toEqual(["dry runs of ec2"]);
  expect(code).toBe(1);
});

it("exits with 2 and the reason if the check cannot run", async () => {
  expect(await doctor("--provider", "999999")).toMatchObject({
    code: 2,
    err: expect.stringContaining("There is no provider 999999."),
  });
  expect(await doctor()).toMatchObject({ code: 2, err: expect.stringContaining("--provider requires the id") });
});
