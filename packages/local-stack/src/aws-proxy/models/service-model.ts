import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { sitePackages } from "../site-packages.js";

/** A reference to a shape, with its name in the Query protocols. */
export interface ShapeReference {
  shape: string;
  locationName?: string;
  queryName?: string;
  flattened?: boolean;
}

/** One type of a service, as botocore's `service-2.json` has it. */
export interface Shape {
  type: string;
  members?: Record<string, ShapeReference>;
  required?: string[];
  member?: ShapeReference;
  key?: ShapeReference;
  value?: ShapeReference;
  enum?: string[];
  pattern?: string;
  min?: number;
  max?: number;
  flattened?: boolean;
  sensitive?: boolean;
}

/** The parts of botocore's model of a service that a call is validated with. */
export interface ServiceModel {
  metadata: { apiVersion: string; protocol: string; serviceFullName: string; targetPrefix?: string };
  operations: Record<string, { input?: ShapeReference }>;
  shapes: Record<string, Shape>;
}

const unzip = promisify(gunzip);
/** Services whose folder is not the name in their signature. */
const FOLDERS: Record<string, string> = { servicequotas: "service-quotas" };

/** AWS's models of its services, which botocore contains and moto pins. Each is read at its first use and kept. */
export class ServiceModels {
  private readonly models = new Map<string, Promise<ServiceModel | undefined>>();

  /** @param home the folder of the emulator's Python environment */
  constructor(private readonly home: string) {}

  /**
   * Returns the model of the service with this name in its signatures, or undefined if AWS does not have the service.
   */
  of(service: string): Promise<ServiceModel | undefined> {
    const known = this.models.get(service);
    if (known) return known;
    const reading = readModel(this.home, FOLDERS[service] ?? service);
    this.models.set(service, reading);
    reading.catch(() => this.models.delete(service));
    return reading;
  }
}

async function readModel(home: string, name: string): Promise<ServiceModel | undefined> {
  const data = join(sitePackages(home), "botocore/data");
  if (!existsSync(data)) throw new Error(`AWS's models are missing: there is no ${data}.`);
  if (!/^[a-z0-9-]+$/.test(name) || !existsSync(join(data, name))) return undefined;
  const version = readdirSync(join(data, name)).sort().at(-1) ?? "";
  const packed = await readFile(join(data, name, version, "service-2.json.gz"));
  const { metadata, operations, shapes } = JSON.parse((await unzip(packed)).toString()) as ServiceModel;
  return { metadata, operations, shapes };
}
