import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { pythonVenv, venvHome } from "@gantry/local-stack";
import { SETTING_NAMES, type SettingProperty, settingsSchema } from "@gantry/runtime";
import { parse, parseAllDocuments } from "yaml";
import { minimal, VALUE_SETS } from "./chart-values.js";
import { chart, goModule, installHelm, type KubernetesObject, runHelm } from "./helm.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const VERSIONS = ["1.31", "1.34", "1.37"];
const KEDA = "github.com/kedacore/keda/v2@v2.21.0";
const PROMETHEUS_OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.85.0";

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

interface Container {
  name: string;
  command?: string[];
  env: Variable[];
  securityContext: object;
  resources: object;
}

interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: { containers: Container[]; initContainers?: Container[]; terminationGracePeriodSeconds?: number };
}

let python: string;
let keda: string;
let definitions: string[];

beforeAll(async () => {
  await installHelm();
  const requirements = join(here, "requirements.txt");
  python = await pythonVenv({
    name: "kubernetes-validate",
    requirements,
    neededBy: "The proof of the Helm chart",
    alternative: "leave it out with --only and the names of the other campaigns",
    home: venvHome(join(root, ".gantry/python"), "kubernetes", requirements),
    environment: process.env,
    report: console.log,
  });
  keda = await goModule(KEDA);
  const operator = await goModule(PROMETHEUS_OPERATOR);
  definitions = [
    ...["scaledobjects", "triggerauthentications"].map((name) => join(keda, `config/crd/bases/keda.sh_${name}.yaml`)),
    ...["servicemonitors", "prometheusrules"].map((name) =>
      join(operator, `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`),
    ),
  ];
});

async function render(values: object): Promise<KubernetesObject[]> {
  return objectsOf(await runHelm(["template", "gantry", chart, "--namespace", "platform"], values));
}

function objectsOf(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((each) => each !== null);
}

/** Returns the problems of the objects by the schemas of Kubernetes and of custom resources. */
async function problemsOf(objects: unknown[]): Promise<string[]> {
  const child = spawn(python, [join(here, "validate.py")], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ objects, versions: VERSIONS, definitions }));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code).toBe(0);
  return JSON.parse(output) as string[];
}

/** The templates of pods by component: api, worker and migrations. */
function podTemplates(objects: KubernetesObject[]): Record<string, PodTemplate> {
  const owners = objects.filter(({ kind }) => ["Deployment", "Job"].includes(kind));
  return Object.fromEntries(
    owners.map(({ metadata, spec }) => [
      metadata.labels?.["app.kubernetes.io/component"] ?? "",
      spec.template as PodTemplate,
    ]),
  );
}

const containersOf = ({ spec }: PodTemplate) => [...(spec.initContainers ?? []), ...spec.containers];

function variablesOf(template: PodTemplate | undefined): Record<string, Variable> {
  const variables = template?.spec.containers[0]?.env ?? [];
  return Object.fromEntries(variables.map((variable) => [variable.name, variable]));
}

describe.each(Object.entries(VALUE_SETS))("the chart with the values %s", (_name, values) => {
  let objects: KubernetesObject[];
  beforeAll(async () => {
    objects = await render(values);
  });

  it("has no warning of helm lint", async () => {
    await runHelm(["lint", "--strict", chart], values);
  });

  it("meets the schemas of three versions of Kubernetes, KEDA and the Prometheus Operator", async () => {
    expect(await problemsOf(objects)).toEqual([]);
  });

  it("runs nothing as root or with privileges, and limits each container", () => {
    for (const template of Object.values(podTemplates(objects))) {
      expect(template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
      });
      for (const { name, securityContext, resources } of containersOf(template)) {
        const isSafe = {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        };
        expect({ name, ...securityContext }).toEqual({ name, ...isSafe });
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it("renders no Secret, and shows the owner of the database only to the migrations", () => {
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    for (const [component, template] of Object.entries(podTemplates(objects))) {
      const knowsOwner = "DATABASE_OWNER_URL" in variablesOf(template);
      expect([component, knowsOwner]).toEqual([component, component === "migrations"]);
    }
    const others = objects.filter(({ kind }) => kind !== "Job");
    expect(JSON.stringify(others)).not.toContain("DATABASE_OWNER_URL");
  });

  it("selects the pods that it means", () => {
    const templates = podTemplates(objects);
    for (const { kind, metadata, spec } of objects) {
      const selector = { Service: spec?.selector, NetworkPolicy: matchLabels(spec?.podSelector) }[kind];
      const labels = selector ?? (kind === "ServiceMonitor" ? undefined : matchLabels(spec?.selector));
      const component = metadata.labels?.["app.kubernetes.io/component"] ?? "";
      if (labels) expect(templates[component]?.metadata.labels).toMatchObject(labels as object);
    }
    const monitors = objects.filter(({ kind }) => kind === "ServiceMonitor");
    for (const monitor of monitors) {
      const labels = matchLabels(monitor.spec.selector) as Record<string, string>;
      const scraped = objects.filter(
        ({ kind, metadata }) =>
          kind === "Service" && Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value),
      );
      expect(scraped.map(({ metadata }) => metadata.labels?.["app.kubernetes.io/component"])).toEqual([
        "api",
        "worker",
      ]);
    }
  });

  it("kills a pod only after its time to stop", () => {
    for (const [component, template] of Object.entries(podTemplates(objects))) {
      if (component === "migrations") continue;
      const seconds = Number(variablesOf(template).SHUTDOWN_SECONDS?.value ?? 15);
      expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(seconds);
    }
  });
});

const matchLabels = (selector: unknown) => (selector as { matchLabels?: object } | undefined)?.matchLabels;

it("applies the migrations before the Deployments change", async () => {
  const objects = await render(VALUE_SETS.everythingOn);
  const hooks = objects.filter(({ metadata }) => metadata.annotations?.["helm.sh/hook"]);
  const job = hooks.find(({ kind }) => kind === "Job");
  expect(job?.metadata.annotations).toMatchObject({
    "helm.sh/hook": "pre-install,pre-upgrade",
    "helm.sh/hook-delete-policy": "before-hook-creation",
  });
  expect(podTemplates(objects).migrations?.spec.containers[0]?.command).toEqual(["node", "apps/api/dist/set-up.js"]);
  const weightOf = ({ metadata }: KubernetesObject) => Number(metadata.annotations?.["helm.sh/hook-weight"]);
  const needed = hooks.filter((hook) => hook !== job);
  expect(needed.map(({ kind }) => kind).sort()).toEqual(["NetworkPolicy", "ServiceAccount"]);
  for (const hook of needed) expect(weightOf(hook)).toBeLessThan(weightOf(job as KubernetesObject));
});

const schema = settingsSchema().properties;
const secrets = SETTING_NAMES.filter((name) => schema[name]?.isSecret);
const plain = SETTING_NAMES.filter((name) => !schema[name]?.isSecret);

/** A value of a setting's type that differs from its default; `other` asks for a second one. */
function sampleOf(property: SettingProperty, other: boolean): string | number {
  if (property.enum) return property.enum[other ? 1 : 0] ?? "";
  if (property.type === "integer") return Math.min(property.maximum ?? 9_000_000, other ? 1_234_567 : 2_345_678);
  if (property.type === "number") return Math.min(property.maximum ?? 9_000_000, other ? 1.5 : 2_000_000);
  if (property.format === "uri") return other ? "https://a.example.com" : "https://b.example.com";
  return other ? "text: {{ x }}" : "'quoted' \"text\"";
}

const samples = (names: readonly string[], other = false) =>
  Object.fromEntries(names.map((name) => [name, sampleOf(schema[name] as SettingProperty, other)]));
/** Ports are also read by the chart. */
const PORTS = { PORT: 8080, METRICS_PORT: 9000 };
const portSettings = Object.fromEntries(Object.entries(PORTS).filter(([name]) => plain.includes(name)));

describe("a setting", () => {
  it.each(["settings", "api", "worker"])("arrives where %s sets it, whatever its type", async (place) => {
    const set = { ...samples(plain), ...portSettings };
    const values = place === "settings" ? { settings: set } : { [place]: { settings: set } };
    const objects = await render({ ...minimal, ...values });
    expect(await problemsOf(objects)).toEqual([]);
    const templates = podTemplates(objects);
    const reached = place === "settings" ? ["api", "worker"] : [place];
    for (const component of ["api", "worker"]) {
      const variables = variablesOf(templates[component]);
      const arrived = plain.filter((name) => variables[name]?.value === String(set[name]));
      expect([component, arrived]).toEqual([component, reached.includes(component) ? plain : expect.anything()]);
      if (!reached.includes(component)) expect(arrived).toEqual([]);
    }
  });

  it("of one app overrides the one of both", async () => {
    const values = { settings: { LOG_LEVEL: "warn" }, worker: { settings: { LOG_LEVEL: "debug" } } };
    const templates = podTemplates(await render({ ...minimal, ...values }));
    const levels = ["api", "worker"].map((component) => variablesOf(templates[component]).LOG_LEVEL?.value);
    expect(levels).toEqual(["warn", "debug"]);
  });

  it("that changes, changes the pods of both apps, so that they restart", async () => {
    const from = samples(plain, true);
    const before = podTemplates(await render({ ...minimal, settings: { ...from, ...portSettings } }));
    const changed = plain.find((name) => schema[name]?.type === "integer" && !(name in PORTS)) ?? "";
    const settings = { ...from, ...portSettings, [changed]: 7 };
    const after = podTemplates(await render({ ...minimal, settings }));
    for (const component of ["api", "worker"]) expect(after[component]).not.toEqual(before[component]);
  });

  it("that is unknown or of another type is refused by its name", async () => {
    for (const place of ["settings", "api.settings", "worker.settings"]) {
      const refused = render({ ...minimal, ...nested(place, { UNKNOWN_SETTING: "1" }) });
      await expect(refused).rejects.toThrow(/additional properties 'UNKNOWN_SETTING' not allowed/);
    }
    const wrong = { LOG_LEVEL: "loud", WORKER_CONCURRENCY: "many", PORT: 70_000 };
    for (const [name, value] of Object.entries(wrong)) {
      const refused = render({ ...minimal, settings: { [name]: value } });
      await expect(refused).rejects.toThrow(`at '/settings/${name}'`);
    }
  });

  it("that is a secret is refused with the names of its Secret's values", async () => {
    expect(secrets.length).toBeGreaterThan(0);
    for (const place of ["settings", "api.settings", "worker.settings"]) {
      for (const name of secrets) {
        const refused = render({ ...minimal, ...nested(place, { [name]: "hidden" }) });
        const sentence = `${place}.${name} is a secret and must not be in the values: put it into a Secret, and name that in secrets.${name}.existingSecret`;
        await expect(refused).rejects.toThrow(sentence);
      }
    }
    const inEnvironment = { ...minimal, api: { extraEnv: [{ name: "MASTER_KEY", value: "hidden" }] } };
    await expect(render(inEnvironment)).rejects.toThrow("/api/extraEnv/0/name");
  });
});

function nested(path: string, value: object): object {
  return path.split(".").reduceRight((inner: object, name) => ({ [name]: inner }), value);
}

it("reads each secret from the Secret and key that the values name", async () => {
  const templates = podTemplates(await render(VALUE_SETS.ownSecretsAndAccounts));
  const read = Object.entries(templates).map(([component, template]) => [
    component,
    Object.fromEntries(
      Object.values(variablesOf(template)).flatMap(
        ({ name, valueFrom: { secretKeyRef } = { secretKeyRef: undefined } }) =>
          secretKeyRef ? [[name, `${secretKeyRef.name}/${secretKeyRef.key}`]] : [],
      ),
    ),
  ]);
  const all = { DATABASE_URL: "database/app", MASTER_KEY: "keys/master" };
  const both = { ...all, REDIS_URL: "redis/url", OTEL_EXPORTER_OTLP_HEADERS: "collector/headers" };
  expect(Object.fromEntries(read)).toEqual({
    api: { ...both, OIDC_CLIENT_SECRET: "issuer/secret" },
    worker: both,
    migrations: { ...all, DATABASE_OWNER_URL: "database-owner/owner" },
  });
});

it.each([
  ["image.registry", { secrets: minimal.secrets }],
  ["secrets.existingSecret", { image: minimal.image }],
  ["settings.PORT", { ...minimal, settings: { PORT: 0 } }],
  ["api.ingress.host", { ...minimal, api: { ingress: { enabled: true } } }],
  ["worker.keda has no trigger", { ...minimal, worker: { keda: { enabled: true } } }],
  [
    "worker.keda.triggers.prometheus.serverAddress",
    { ...minimal, worker: { keda: { enabled: true, triggers: { prometheus: { enabled: true } } } } },
  ],
])("fails with a sentence without %s", async (name, values) => {
  await expect(render(values)).rejects.toThrow(new RegExp(`: ${name}.*: set `));
});

it("renders the alerts and the dashboard of deploy/, also from a package", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gantry-chart-"));
  try {
    await runHelm(["package", chart, "--destination", folder]);
    const [archive = ""] = readdirSync(folder);
    for (const source of [chart, join(folder, archive)]) {
      const objects = objectsOf(await runHelm(["template", "gantry", source], VALUE_SETS.everythingOn));
      const rule = objects.find(({ kind }) => kind === "PrometheusRule");
      expect(rule?.spec).toEqual(parse(readFileSync(join(root, "deploy/prometheus/rules.yaml"), "utf8")));
      const dashboard = objects.find(({ kind }) => kind === "ConfigMap");
      expect(dashboard?.metadata.labels).toMatchObject({ grafana_dashboard: "1" });
      const file = (dashboard as { data?: Record<string, string> } | undefined)?.data?.["gantry.json"];
      expect(JSON.parse(file ?? "")).toEqual(
        JSON.parse(readFileSync(join(root, "deploy/grafana/gantry.json"), "utf8")),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it("has only fields of triggers that the scalers of KEDA read", async () => {
  const triggers = (await render(VALUE_SETS.everythingOn))
    .filter(({ kind }) => kind === "ScaledObject")
    .flatMap(({ spec }) => spec.triggers as { type: string; metadata: object }[]);
  expect(new Set(triggers.map(({ type }) => type))).toEqual(new Set(["prometheus", "postgresql"]));
  for (const { type, metadata } of triggers) {
    const source = readFileSync(join(keda, `pkg/scalers/${type}_scaler.go`), "utf8");
    const known = [...source.matchAll(/keda:"name=([\w;]+),/g)].flatMap(([, names = ""]) => names.split(";"));
    expect(known).toEqual(expect.arrayContaining(Object.keys(metadata)));
  }
});
