import type { Environment } from "@gantry/db";
import type { Tags } from "../declarations/tags.js";
import type { ServerRole } from "./server.roles.js";

/** A server to provision. Its IOPS may exceed AWS's limit. */
export interface ServerSpec {
  /** Its path in the input, for errors: "server", "cluster_configuration.configuration.utils.0". */
  path: string;
  role: ServerRole;
  /** The region's default if absent. */
  flavor?: string | undefined;
  name?: string | undefined;
  dedicated?: boolean | undefined;
  /** Of a burstable flavor. */
  cpuCredits?: "standard" | "unlimited" | undefined;
  subnetId?: string | undefined;
  iamRoleId?: string | undefined;
  /** The snapshot that its root disk or its data volume restores. */
  snapshotId?: number | undefined;
  volumeSizeGb?: number | undefined;
  /** No /mnt volume if absent. */
  mntVolumeSizeGb?: number | undefined;
  iops?: number | undefined;
  volumeType?: string | undefined;
  /** Of the data volume, if it is a copy of another one. */
  throughput?: number | null;
  /** Of the /mnt volume, if it is a copy of another one. */
  mntSettings?: { volumeType: string; iops: number | null; throughput: number | null };
  /** Its own tags, in addition to its environment's. */
  tags?: Tags | undefined;
}

/** An environment with a provider. */
export type ProvisionableEnvironment = Environment & { providerId: number };
