import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import {
  type _InstanceType,
  AttachVolumeCommand,
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  CreateVolumeCommand,
  DeleteKeyPairCommand,
  DeleteSecurityGroupCommand,
  DeleteVolumeCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeVolumesCommand,
  EC2Client,
  ImportKeyPairCommand,
  type IpPermission,
  type ResourceType,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import type { AwsAccount } from "@gantry/local-stack";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { SSH_KEYS } from "../../support/ssh-keys.js";

interface Settings {
  endpoint: string;
  region: string;
  credentials: AwsAccount;
  vpcId: string;
  subnets: { id: string; zone: string }[];
  flavor: _InstanceType;
  servers: number;
}

const IMAGE = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64";

/** Returns a script that creates the servers of an environment concurrently by the fewest calls, and one that removes them. */
export function bootScript({ endpoint, region, credentials, vpcId, subnets, flavor, servers }: Settings) {
  const requestHandler = new NodeHttpHandler({ httpAgent: new Agent({ keepAlive: true, maxSockets: 256 }) });
  const ec2 = new EC2Client({ endpoint, region, credentials, requestHandler });
  const ssm = new SSMClient({ endpoint, region, credentials, requestHandler });
  let created: { groupId: string; keyName: string; servers: { instanceId: string; volumeId: string }[] };

  async function boot(): Promise<void> {
    const keyName = `script-${randomUUID()}`;
    const [{ GroupId = "" }] = await Promise.all([
      ec2.send(
        new CreateSecurityGroupCommand({
          GroupName: keyName,
          Description: "Script",
          VpcId: vpcId,
          TagSpecifications: tags("security-group"),
        }),
      ),
      ec2.send(
        new ImportKeyPairCommand({
          KeyName: keyName,
          PublicKeyMaterial: Buffer.from(SSH_KEYS.ed25519.publicKey),
          TagSpecifications: tags("key-pair"),
        }),
      ),
    ]);
    const members = { UserIdGroupPairs: [{ GroupId }] };
    const anywhere = { IpRanges: [{ CidrIp: "0.0.0.0/0" }] };
    const permissions: IpPermission[] = [
      { IpProtocol: "tcp", FromPort: 0, ToPort: 65_535, ...members },
      { IpProtocol: "udp", FromPort: 0, ToPort: 65_535, ...members },
      { IpProtocol: "tcp", FromPort: 80, ToPort: 80, ...anywhere },
      { IpProtocol: "tcp", FromPort: 443, ToPort: 443, ...anywhere },
    ];
    await Promise.all(
      permissions.map((permission) =>
        ec2.send(
          new AuthorizeSecurityGroupIngressCommand({
            GroupId,
            IpPermissions: [permission],
            TagSpecifications: tags("security-group-rule"),
          }),
        ),
      ),
    );
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: IMAGE }));
    const { Images } = await ec2.send(new DescribeImagesCommand({ ImageIds: [Parameter?.Value ?? ""] }));
    const image = Images?.[0]?.ImageId ?? "";
    const all = Array.from({ length: servers }, (_, i) => server(i, image, GroupId, keyName));
    const createdServers = await Promise.all(all);
    created = { groupId: GroupId, keyName, servers: createdServers };
  }

  async function server(i: number, imageId: string, groupId: string, keyName: string) {
    const subnet = subnets[i % subnets.length] as Settings["subnets"][number];
    const [{ Instances }, { VolumeId: volumeId = "" }] = await Promise.all([
      ec2.send(
        new RunInstancesCommand({
          MinCount: 1,
          MaxCount: 1,
          ClientToken: randomUUID(),
          ImageId: imageId,
          InstanceType: flavor,
          KeyName: keyName,
          MetadataOptions: { HttpTokens: "required", HttpEndpoint: "enabled" },
          NetworkInterfaces: [
            { DeviceIndex: 0, SubnetId: subnet.id, Groups: [groupId], AssociatePublicIpAddress: true },
          ],
          BlockDeviceMappings: [
            { DeviceName: "/dev/xvda", Ebs: { VolumeSize: 16, VolumeType: "gp3", DeleteOnTermination: true } },
          ],
          TagSpecifications: [...tags("instance"), ...tags("volume")],
          UserData: Buffer.from("x".repeat(4000)).toString("base64"),
        }),
      ),
      ec2.send(
        new CreateVolumeCommand({
          AvailabilityZone: subnet.zone,
          Size: 25,
          VolumeType: "gp3",
          ClientToken: randomUUID(),
          TagSpecifications: tags("volume"),
        }),
      ),
    ]);
    const instanceId = Instances?.[0]?.InstanceId ?? "";
    const describe = () =>
      ec2.send(new DescribeInstancesCommand({ Filters: [{ Name: "instance-id", Values: [instanceId] }] }));
    await describe();
    await ec2.send(new AttachVolumeCommand({ InstanceId: instanceId, VolumeId: volumeId, Device: "/dev/xvdf" }));
    await ec2.send(new DescribeVolumesCommand({ Filters: [{ Name: "volume-id", Values: [volumeId] }] }));
    await describe();
    await ec2.send(new CreateTagsCommand({ Resources: [instanceId], Tags: [{ Key: "Name", Value: "script" }] }));
    return { instanceId, volumeId };
  }

  async function clear(): Promise<void> {
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: created.servers.map(({ instanceId }) => instanceId) }));
    const volumes = created.servers.map(({ volumeId: VolumeId }) => ec2.send(new DeleteVolumeCommand({ VolumeId })));
    await Promise.all(volumes);
    await ec2.send(new DeleteSecurityGroupCommand({ GroupId: created.groupId }));
    await ec2.send(new DeleteKeyPairCommand({ KeyName: created.keyName }));
  }

  return { boot, clear };
}

function tags(type: ResourceType) {
  const pairs = {
    "gantry:account": randomUUID(),
    "gantry:resource": "server/1",
    "gantry:request": randomUUID(),
    "gantry:token": randomUUID(),
    Name: "script",
  };
  return [{ ResourceType: type, Tags: Object.entries(pairs).map(([Key, Value]) => ({ Key, Value })) }];
}
