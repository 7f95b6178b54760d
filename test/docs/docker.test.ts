import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

interface Service {
  image: string;
  build?: object;
  user?: string;
  command?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  healthcheck?: { test?: string[] };
  mem_limit?: string;
  pids_limit?: number;
  security_opt?: string[];
  environment?: Record<string, string>;
}

const folder = join(import.meta.dirname, "../../docker");
const compose = readFileSync(join(folder, "compose.yaml"), "utf8");
const { services } = parse(compose, { merge: true }) as { services: Record<string, Service> };

it.each(Object.entries(services))("%s has limits and gains no privileges", (_name, service) => {
  expect(service).toMatchObject({ mem_limit: expect.any(String), pids_limit: expect.any(Number) });
  expect(service.security_opt).toEqual(["no-new-privileges:true"]);
});

it.each(["api", "worker", "set-up"])("%s runs as an unprivileged user who can write only to /tmp", (name) => {
  expect(services[name]).toMatchObject({ user: "1000:1000", read_only: true, tmpfs: ["/tmp"], cap_drop: ["ALL"] });
});

it.each(["api", "worker"])("%s is healthy when its metrics port says that it is ready", (name) => {
  const { environment, healthcheck } = services[name] ?? {};
  expect(healthcheck?.test?.join(" ")).toContain(`127.0.0.1:${environment?.METRICS_PORT}/health/ready`);
});

it("every image has a version, and can be given a digest", () => {
  const foreign = Object.values(services).filter(({ build }) => !build);
  expect(foreign.length).toBeGreaterThan(0);
  for (const { image } of foreign) expect(image).toMatch(/^\$\{\w+_IMAGE:-[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*\}$/);

  const [, base] = /^ARG NODE_IMAGE=(.+)$/m.exec(readFileSync(join(folder, "Dockerfile"), "utf8")) ?? [];
  expect(base).toMatch(/^node:\d+\.\d+\.\d+-slim$/);
});

it("no secret has a default", () => {
  const settings = Object.values(services).flatMap(({ environment = {} }) => Object.values(environment).map(String));
  const secrets = settings.flatMap((setting) => setting.match(/\$\{\w*_(?:PASSWORD|KEY|TOKEN)[^}]*\}/g) ?? []);
  for (const secret of secrets) expect(secret).toMatch(/^\$\{\w+(:\?[^}]*|:-)\}$/);
  expect(services.api?.environment).toMatchObject({
    MASTER_KEY: expect.stringMatching(/^\$\{MASTER_KEY:\?/),
    DATABASE_URL: expect.stringContaining("${APP_DATABASE_PASSWORD:?"),
  });
  expect(services["set-up"]?.environment?.DATABASE_OWNER_URL).toContain("${POSTGRES_PASSWORD:?");
});

it("the apps know only the password of their own database user", () => {
  for (const name of ["api", "worker"]) {
    const settings = JSON.stringify(services[name]?.environment);
    expect(settings).toContain("gantry_app:");
    expect(settings).not.toContain("POSTGRES_PASSWORD");
  }
});

it("the service that sets up creates no first account, whose password it would log", () => {
  expect(services["set-up"]?.command).toEqual(["node", "apps/api/dist/set-up.js"]);
});
