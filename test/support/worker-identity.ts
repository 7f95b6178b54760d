import { vi } from "vitest";

/** Gives this process the AWS identity that a worker has, or none, until the end of the test. */
export function setWorkerIdentity(keys: { accessKeyId: string; secretAccessKey: string } | undefined): void {
  vi.stubEnv("AWS_ACCESS_KEY_ID", keys?.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", keys?.secretAccessKey);
  if (!keys) vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
}
