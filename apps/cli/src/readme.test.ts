import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { runSnippets } from "@gantry/test/support/doc-snippets";
import { bundleCommand, type TestCommand } from "@gantry/test/support/gantry-command";
import { type LiveGantry, startLiveGantry } from "@gantry/test/support/live";
import { startPipelineIssuer } from "@gantry/test/support/pipeline-issuer";
import { parse } from "yaml";

const README = join(import.meta.dirname, "../README.md");
const GITHUB = "https://token.actions.githubusercontent.com";

let live: LiveGantry;
let gantry: TestCommand;
let issuer: Awaited<ReturnType<typeof startPipelineIssuer>>;

beforeAll(async () => {
  issuer = await startPipelineIssuer();
  live = await startLiveGantry({ TRUSTED_ISSUERS: `${GITHUB},${issuer.url}` });
  await live.addProvider();
  gantry = await bundleCommand({ GANTRY_URL: live.url, GANTRY_TOKEN: live.owner.token });
});
afterAll(async () => {
  gantry.close();
  await live.close();
  await issuer.close();
});

it("shows commands that work, from the first network back to nothing", async () => {
  const env = { ...gantry.env, PATH: `${gantry.bin}:${gantry.env.PATH}` };
  const snippets = await runSnippets(README, env);
  expect(snippets.length).toBeGreaterThan(3);
  expect(await live.api.db.network.count({ where: { deletedAt: null, name: "first" } })).toBe(0);
  expect(await live.api.db.environment.count({ where: { deletedAt: null } })).toBe(0);
  const repeated =
    snippets
      .find(({ command }) => command.includes("--key-prefix"))
      ?.answered.trim()
      .split("\n") ?? [];
  expect(repeated[0]).toBe(repeated[1]);
});

describe("shows a workflow of GitHub Actions", () => {
  interface Step {
    if?: string;
    run?: string;
  }
  const text = readFileSync(README, "utf8");
  const [workflow] = [...text.matchAll(/^```yaml\n(on:[\s\S]*?)^```$/gm)].map(([, block = ""]) => parse(block));
  const here = (command: string) =>
    command.replaceAll(GITHUB, issuer.url).replaceAll("https://gantry.example.com", live.url);
  const shell = (command: string, env: Record<string, string>) =>
    promisify(execFile)("bash", ["-euc", here(command)], { env: { ...env, PATH: `${gantry.bin}:${env.PATH}` } });

  /** Runs the steps of an event as GitHub does: without any secret, with the identity of the job. */
  async function runWorkflow(event: string, subject: string): Promise<string> {
    issuer.subject = subject;
    const { GANTRY_URL, GANTRY_TOKEN, ...rest } = gantry.env;
    const env = {
      ...rest,
      GITHUB_ACTIONS: "true",
      GANTRY_KEY_PREFIX: event,
      ACTIONS_ID_TOKEN_REQUEST_URL: issuer.jobUrl,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: issuer.jobToken,
    };
    const steps: Step[] = workflow.jobs.network.steps;
    const runs = steps.filter((step) => step.run && (!step.if || step.if.includes(`'${event}'`)));
    expect(runs).toHaveLength(2);
    let shown = "";
    for (const { run = "" } of runs) {
      const { stdout, stderr } = await shell(run, env);
      shown += stdout + stderr;
    }
    return shown;
  }

  beforeAll(async () => {
    writeFileSync(join(gantry.bin, "npx"), '#!/bin/sh\nshift\nexec gantry "$@"\n', { mode: 0o755 });
    const [, creation = ""] = /^```sh\n(for subject[\s\S]*?)^```$/m.exec(text) ?? [];
    await shell(creation, gantry.env);
  });

  it("which plans in pull requests and changes on main, with no secret stored", async () => {
    expect(workflow.permissions["id-token"]).toBe("write");
    expect(text).not.toContain("secrets.");
    const networks = () => live.api.db.network.count({ where: { deletedAt: null, name: "ci" } });
    await runWorkflow("pull_request", "repo:acme/shop:pull_request");
    expect(await networks()).toBe(0);
    await runWorkflow("push", "repo:acme/shop:ref:refs/heads/main");
    await runWorkflow("push", "repo:acme/shop:ref:refs/heads/main");
    expect(await networks()).toBe(1);
  });

  it("which a fork and another branch cannot use", async () => {
    for (const subject of ["repo:mallory/shop:pull_request", "repo:acme/shop:ref:refs/heads/other"])
      await expect(runWorkflow("push", subject)).rejects.toThrow(`subject ${subject}`);
  });
});
