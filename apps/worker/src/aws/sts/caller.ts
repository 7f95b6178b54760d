import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Aws } from "../clients.js";

/** The number of the AWS account that the credentials act in. */
export async function callerAccount({ sts }: Aws): Promise<string> {
  const { Account } = await sts.send(new GetCallerIdentityCommand({}));
  return Account ?? "";
}
