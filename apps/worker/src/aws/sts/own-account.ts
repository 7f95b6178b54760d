import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";

/**
 * Returns the function that returns the AWS account of the worker's own identity, which it asks for once; undefined if
 * it has none.
 *
 * @param region of AWS STS
 * @param callSeconds the timeout of the call
 */
export function ownAccountReader(region: string, callSeconds: number): () => Promise<string | undefined> {
  let known: Promise<string | undefined> | undefined;
  return () => {
    known ??= readOwnAccount(region, callSeconds).then((account) => {
      // An identity may come later.
      if (account === undefined) known = undefined;
      return account;
    });
    return known;
  };
}

async function readOwnAccount(region: string, callSeconds: number): Promise<string | undefined> {
  const sts = new STSClient({
    region,
    requestHandler: { requestTimeout: callSeconds * 1000, throwOnRequestTimeout: true },
  });
  try {
    return (await sts.send(new GetCallerIdentityCommand({}))).Account;
  } catch {
    // The call that needs the identity fails with its own sentence.
    return undefined;
  } finally {
    sts.destroy();
  }
}
