import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Aws } from "../clients.js";

/** The id of the credentials' AWS account. */
export async function callerAccount({ sts }: Aws): Promise<string> {
  const { Account } = await sts.send(new GetCallerIdentityCommand({}));
  return Account ?? "";
}
