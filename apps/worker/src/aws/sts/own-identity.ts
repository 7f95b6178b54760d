import { types } from "node:util";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";

/**
 * Returns the provider of the worker's own credentials, as the AWS SDK finds them. All clients share it, so that the metadata
 * service of a machine is asked once. It rejects with `WorkerWithoutIdentity` if the worker has none.
 */
export function ownIdentity(): ReturnType<typeof fromNodeProviderChain> {
  let chain: ReturnType<typeof fromNodeProviderChain> | undefined;
  return async (options) => {
    chain ??= fromNodeProviderChain();
    try {
      return await chain(options);
    } catch (error) {
      const named = { name: "WorkerWithoutIdentity", $metadata: {} };
      throw types.isNativeError(error) ? Object.assign(error, named) : error;
    }
  };
}
