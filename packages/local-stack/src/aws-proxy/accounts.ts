import { randomInt } from "node:crypto";
import type { Emulator } from "./emulator.js";

/** An AWS account in the emulator, with a key pair that acts in it. */
export interface AwsAccount {
  /** Twelve digits. */
  accountId: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface AccountOptions {
  /** The regions that are enabled in the account; all by default. */
  regions?: string[];
}

/** Creates an empty AWS account. The emulator has every account; an assumed role gives access to create a user with a key. */
export async function createAccount(emulator: Emulator): Promise<AwsAccount> {
  const accountId = String(randomInt(100_000_000_000, 281_474_976_710_655)).slice(0, 12);
  const region = "us-east-1";
  const inAccount = { accessKeyId: await emulator.accessKeyIn(accountId), region };
  await emulator.query(inAccount, "iam", { Action: "CreateUser", UserName: "gantry" });
  const key = await emulator.query(inAccount, "iam", { Action: "CreateAccessKey", UserName: "gantry" });
  return {
    accountId,
    accessKeyId: elementText(key, "AccessKeyId"),
    secretAccessKey: elementText(key, "SecretAccessKey"),
  };
}

function elementText(xml: string, tag: string): string {
  const value = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  if (!value) throw new Error(`The emulator gave no ${tag} for a new AWS account: ${xml.slice(0, 300)}`);
  return value;
}
