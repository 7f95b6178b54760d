import { DeleteKeyPairCommand, DescribeKeyPairsCommand, ImportKeyPairCommand } from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { createdOrFound, definedIds, tagSpecification, tokenFilter, uniqueName } from "./tags.js";

export interface KeyPairParams {
  /** The prefix of its name. */
  name: string;
  /** In OpenSSH's format. */
  publicKey: string;
}

/** A key pair whose private key AWS never receives. Its id is its name, which the launch of an instance accepts. */
export const keyPair: CloudKind<Aws, KeyPairParams> = {
  kind: "key_pair",
  label: "key pair",
  strategy: "name",
  async find({ ec2 }, intent) {
    const { KeyPairs } = await ec2.send(new DescribeKeyPairsCommand(tokenFilter(intent)));
    return definedIds(KeyPairs?.map(({ KeyName }) => KeyName));
  },
  create(aws, intent) {
    const name = uniqueName(intent);
    const create = new ImportKeyPairCommand({
      KeyName: name,
      PublicKeyMaterial: Buffer.from(intent.params.publicKey),
      TagSpecifications: tagSpecification("key-pair", intent),
    });
    return createdOrFound(
      aws.noRetry.ec2.send(create).then(() => name),
      /^InvalidKeyPair\.Duplicate$/,
      () => keyPair.find(aws, intent),
    );
  },
  obstacles: "none",
  async remove({ ec2 }, name) {
    await ignoring(ec2.send(new DeleteKeyPairCommand({ KeyName: name })), /^InvalidKeyPair\.NotFound$/);
  },
};
