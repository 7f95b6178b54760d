import { vi } from "vitest";

/** Sets the AWS identity of this process to that of a worker, or none, until the end of the test. */
export function setWorkerIdentity(keys: { accessKeyId: string; secretAccessKey: string } | undefined): void {
  vi.stubEnv("AWS_ACCESS_KEY_ID", keys?.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", keys?.secretAccessKey);
  if (!keys) vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
}
