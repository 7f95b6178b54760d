/**
 * Sets the AWS identity of a worker for this process and those that it starts, unless it has one: all runs in a process
 * share it. For scenarios, which run outside Jest too; other tests use `setWorkerIdentity`.
 */
export function ensureWorkerIdentity(keys: { accessKeyId: string; secretAccessKey: string }): void {
  if (process.env.AWS_ACCESS_KEY_ID) return;
  process.env.AWS_ACCESS_KEY_ID = keys.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = keys.secretAccessKey;
}
