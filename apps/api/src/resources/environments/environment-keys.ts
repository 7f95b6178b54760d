import type { Vault } from "@gantry/db";
import sshpk from "sshpk";

/** A fresh key pair for an environment's servers to know each other by: in OpenSSH's forms, the private half sealed. */
export async function newEnvironmentKeys(vault: Vault, environment: { id: number; accountId: string }) {
  const key = sshpk.generatePrivateKey("ed25519");
  key.comment = `environment-${environment.id}`;
  const place = {
    table: "environments",
    column: "internal_private_key",
    id: String(environment.id),
    account: environment.accountId,
  };
  return {
    internalPublicKey: key.toPublic().toString("ssh"),
    internalPrivateKey: await vault.seal(key.toString("openssh"), place),
  };
}
