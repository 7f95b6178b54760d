import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const HELM = "v3.22.0";
const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = join(root, ".gantry/bin");
const helm = join(bin, `helm-${HELM}`);

/** The chart. */
export const chart = join(root, "deploy/helm/gantry");

/** An object of Kubernetes. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

/** Builds Helm from its Go module, once for each version, which takes some minutes. Throws an Error with a remedy. */
export async function installHelm(): Promise<void> {
  if (existsSync(helm)) return;
  mkdirSync(bin, { recursive: true });
  const draft = mkdtempSync(`${helm}-draft-`);
  try {
    await go(["install", `helm.sh/helm/v3/cmd/helm@${HELM}`], { GOBIN: draft });
    renameSync(join(draft, "helm"), helm);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Downloads a Go module, and returns its folder. */
export async function goModule(module: string): Promise<string> {
  return (JSON.parse(await go(["mod", "download", "-json", module])) as { Dir: string }).Dir;
}

async function go(words: string[], environment: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, GOFLAGS: "-mod=mod", ...environment };
  try {
    return (await promisify(execFile)("go", words, { cwd: bin, env })).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error("The proof of the Helm chart needs Go: install Go 1.26 or newer, so that `go` is on PATH.");
  }
}

/** Runs Helm, with the values, if any, as its input. Rejects with what Helm reports. */
export async function runHelm(words: string[], values?: object): Promise<string> {
  const options = values ? ["--values", "-", "--kube-version", "1.34.0"] : [];
  const running = promisify(execFile)(helm, [...words, ...options], { maxBuffer: 2 ** 26 });
  running.child.stdin?.end(values && JSON.stringify(values));
  try {
    return (await running).stdout;
  } catch (error) {
    throw new Error((error as { stderr: string; stdout: string }).stderr || (error as { stdout: string }).stdout);
  }
}
