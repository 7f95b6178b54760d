import { afterEach } from "@jest/globals";

const environment = { ...process.env };

/** Gives this process the AWS identity that a worker has, or none, until the end of the test. */
export function setWorkerIdentity(keys: { accessKeyId: string; secretAccessKey: string } | undefined): void {
  if (keys) {
    process.env.AWS_ACCESS_KEY_ID = keys.accessKeyId;
    process.env.AWS_SECRET_ACCESS_KEY = keys.secretAccessKey;
    return;
  }
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
  process.env.AWS_EC2_METADATA_DISABLED = "true";
}

afterEach(() => {
  process.env = { ...environment };
});
