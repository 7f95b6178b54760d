import { replaceEnv } from "./replace-env.js";

/** Sets the AWS identity of this process to that of a worker, or none, until the end of the test. */
export function setWorkerIdentity(keys: { accessKeyId: string; secretAccessKey: string } | undefined): void {
  replaceEnv({
    AWS_ACCESS_KEY_ID: keys?.accessKeyId,
    AWS_SECRET_ACCESS_KEY: keys?.secretAccessKey,
    ...(!keys && { AWS_EC2_METADATA_DISABLED: "true" }),
  });
}
