import type { Vault } from "@gantry/db";
import sshpk from "sshpk";

/**
 * A new SSH key pair for connections between an environment's servers, in OpenSSH's formats; the private key is sealed.
 */
export async function generateEnvironmentKeys(vault: Vault, environment: { id: number; accountId: string }) {
  const key = sshpk.generatePrivateKey("ed25519");
  key.comment = `environment-${environment.id}`;
  const secretLocation = {
    table: "environments",
    column: "internal_private_key",
    id: String(environment.id),
    account: environment.accountId,
  };
  return {
    internalPublicKey: key.toPublic().toString("ssh"),
    internalPrivateKey: await vault.encrypt(key.toString("openssh"), secretLocation),
  };
}
