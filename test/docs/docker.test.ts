import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { parse } from "yaml";

interface Service {
  image: string;
  build?: object;
  user?: string;
  command?: string[];
  read_only?: boolean;
  mem_limit?: string;
  pids_limit?: number;
  security_opt?: string[];
  environment?: Record<string, string>;
}

const folder = join(import.meta.dirname, "../../docker");
const compose = readFileSync(join(folder, "compose.yaml"), "utf8");
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> };

it.each(Object.entries(services))("%s has limits and gains no privileges (finding 24)", (_name, service) => {
  expect(service).toMatchObject({ mem_limit: expect.any(String), pids_limit: expect.any(Number) });
  expect(service.security_opt).toEqual(["no-new-privileges:true"]);
});

it("every image has a version, and can be given a digest (finding 24)", () => {
  const foreign = Object.values(services).filter(({ build }) => !build);
  expect(foreign.length).toBeGreaterThan(0);
  for (const { image } of foreign) expect(image).toMatch(/^\$\{\w+_IMAGE:-[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*\}$/);

  const [, base] = /^ARG NODE_IMAGE=(.+)$/m.exec(readFileSync(join(folder, "Dockerfile"), "utf8")) ?? [];
  expect(base).toMatch(/^node:\d+\.\d+\.\d+-slim$/);
});

it("no secret has a default (finding 24)", () => {
  const defaults = compose.match(/\$\{\w*_(?:PASSWORD|KEY|TOKEN):?-[^}]+\}/g);
  expect(defaults).toBeNull();
  for (const name of ["MASTER_KEY", "POSTGRES_PASSWORD", "APP_DATABASE_PASSWORD"]) {
    expect(compose).toContain(`\${${name}:?`);
  }
});

it("the apps know the password of their own database user alone (finding 24)", () => {
  for (const name of ["api", "worker"]) {
    const settings = JSON.stringify(services[name]?.environment);
    expect(settings).toContain("gantry_app:");
    expect(settings).not.toContain("POSTGRES_PASSWORD");
  }
});

it("the service that sets up prints no secret into its log (finding 24)", () => {
  expect(services["set-up"]?.command).toEqual(["node", "apps/api/set-up.mjs"]);
  expect(readFileSync(join(folder, "set-up.mjs"), "utf8")).toMatch(
    /if \(process\.argv\.includes\("--first-account"\)\) \{.*Password.*\}\s*$/s,
  );
});
