import { AttachVolumeCommand, DetachVolumeCommand, ModifyVolumeCommand } from "@aws-sdk/client-ec2";
import { aws, REGION } from "@gantry/test/support/account";
import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { launchInstance } from "@gantry/test/support/instance";
import { createRequestOf } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";
import { describeVolume } from "../../aws/ec2/volume.js";

const context = awsTestContext();

async function provisionedVolume(changes: object = { volumeType: "io1", iops: 100, encrypted: true }) {
  const wanted = { provisionedId: null, state: "pending", sizeGb: 4, ...changes };
  const { id } = await createVolume(context.db, context.customer.provider, wanted);
  const volume = { type: "volume", id } as const;
  expect(
    await context.outcome(await createRequestOf(context.db, context.customer, "volume_provision", volume, {})),
  ).toMatchObject({
    successful: true,
  });
  return volume;
}

async function runningServer() {
  const environment = await createEnvironment(context.db, context.customer.provider);
  return createServer(context.db, environment, { provisionedId: await launchInstance(context.customer) });
}

const rowOf = (id: number) => context.db.volume.findUniqueOrThrow({ where: { id } });

it("records a volume's state from its creation to its server and back", async () => {
  await aws.setTransitionDelays({ volumeMs: 1500 }, { accountId: context.customer.awsAccount.accountId });
  const volume = await provisionedVolume();
  const { provisionedId, state } = await rowOf(volume.id);
  expect(state).toBe("available");
  const client = awsOpener(10)(REGION, context.customer.awsAccount);
  const seen = () => describeVolume(provisionedId ?? "")(client);
  expect(await seen()).toMatchObject({ sizeGb: 4, volumeType: "io1", encrypted: true });

  const { id: serverId, provisionedId: instanceId } = await runningServer();
  const input = { serverId, device: "/dev/xvdh" };
  await context.outcome(await createRequestOf(context.db, context.customer, "attach_volume", volume, input));
  expect(await rowOf(volume.id)).toMatchObject({ serverId, device: "/dev/xvdh", state: "in-use" });
  expect(await seen()).toMatchObject({ attachment: { instanceId, device: "/dev/xvdh", state: "attached" } });

  await context.outcome(await createRequestOf(context.db, context.customer, "detach_volume", volume, {}));
  expect(await rowOf(volume.id)).toMatchObject({ serverId: null, device: null, mount: null, state: "available" });
  expect((await seen())?.attachment).toBeUndefined();
});

it("asks AWS for a volume's IOPS and throughput, and for encryption only if the volume has it", async () => {
  const { accountId } = context.customer.awsAccount;
  await provisionedVolume({ iops: 3000, throughput: 250, encrypted: true });
  await provisionedVolume();
  await provisionedVolume({});
  const calls = await aws.calls({ accountId, action: "CreateVolume" });
  const asked = calls.map(({ params: { VolumeType, Iops, Throughput, Encrypted } }) => {
    return [VolumeType, Iops, Throughput, Encrypted];
  });
  expect(asked).toEqual([
    ["gp3", "3000", "250", "true"],
    ["io1", "100", undefined, "true"],
    ["gp3", undefined, undefined, undefined],
  ]);
});

it("assigns each volume of a server its own device, and each volume one server", async () => {
  const [first, second] = [await provisionedVolume(), await provisionedVolume()];
  const [one, other] = [await runningServer(), await runningServer()];
  const device = "/dev/xvdf";
  await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_volume", first, { serverId: one.id, device }),
  );
  const doubled = await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_volume", second, { serverId: one.id, device }),
  );
  expect(doubled.message).toBe(`The server already has volume ${first.id} as ${device}`);
  const stolen = await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_volume", first, { serverId: other.id, device }),
  );
  expect(stolen.message).toBe(`The volume is attached to server ${one.id}`);
  expect(await rowOf(first.id)).toMatchObject({ serverId: one.id });
  expect(await rowOf(second.id)).toMatchObject({ serverId: null, state: "available" });
});

it("reports why AWS did not create a volume, and keeps none", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("CreateVolume", { code: "VolumeLimitExceeded", accessKeyId });
  const { id } = await createVolume(context.db, context.customer.provider, { provisionedId: null, state: "pending" });
  const request = await context.outcome(
    await createRequestOf(context.db, context.customer, "volume_provision", { type: "volume", id }, {}),
  );
  expect(request.message).toContain("The AWS account has reached a quota");
  expect(await rowOf(id)).toMatchObject({ state: "deleted", deletedAt: expect.any(Date) });
});

describe("a change in place", () => {
  const modify = async (volume: { type: "volume"; id: number }, input: object) =>
    context.outcome(await createRequestOf(context.db, context.customer, "modify_volume", volume, input));
  const client = () => awsOpener(10)(REGION, context.customer.awsAccount);

  it("that AWS accepts and then gives up leaves the record as the volume is, and can be tried again", async () => {
    const { accountId } = context.customer.awsAccount;
    await aws.setTransitionDelays({ volumeModificationEnd: "failed" }, { accountId });
    const volume = await provisionedVolume({ volumeType: "gp3" });
    const failed = await modify(volume, { sizeGb: 8, iops: 4000 });
    expect([failed.successful, failed.message]).toEqual([false, "AWS could not modify the volume"]);
    expect(await rowOf(volume.id)).toMatchObject({ sizeGb: 4, iops: 3000, volumeType: "gp3" });
    await aws.setTransitionDelays({}, { accountId });
    expect(await modify(volume, { sizeGb: 8, iops: 4000 })).toMatchObject({ successful: true });
    expect(await rowOf(volume.id)).toMatchObject({ sizeGb: 8, iops: 4000 });
    expect(await aws.calls({ accountId, action: "ModifyVolume" })).toHaveLength(2);
  });

  it("asks AWS only for what changes, so a volume that was grown outside of Gantry can change too", async () => {
    const volume = await provisionedVolume({ volumeType: "gp3" });
    const { provisionedId } = await rowOf(volume.id);
    await client().ec2.send(new ModifyVolumeCommand({ VolumeId: provisionedId ?? "", Size: 10 }));
    expect(await modify(volume, { iops: 4000 })).toMatchObject({ successful: true });
    expect(await describeVolume(provisionedId ?? "")(client())).toMatchObject({ sizeGb: 10, iops: 4000 });
    const smaller = await modify(volume, { sizeGb: 8 });
    expect([smaller.successful, smaller.message]).toEqual([
      false,
      "The volume was given 10 GB outside of Gantry, and AWS never shrinks a volume",
    ]);
    expect(await rowOf(volume.id)).toMatchObject({ sizeGb: 4 });
  });
});

it.each(["a server", "an instance without a record"])(
  "leaves a volume that was moved to %s where it is, and records that",
  async (holder) => {
    const { db, customer } = context;
    const volume = await provisionedVolume();
    const server = await runningServer();
    const input = { serverId: server.id, device: "/dev/xvdh" };
    await context.outcome(await createRequestOf(db, customer, "attach_volume", volume, input));
    const { provisionedId: VolumeId } = await rowOf(volume.id);
    const { ec2 } = awsOpener(10)(REGION, customer.awsAccount);
    await ec2.send(new DetachVolumeCommand({ VolumeId: VolumeId ?? "", InstanceId: server.provisionedId ?? "" }));
    const other = holder === "a server" ? await runningServer() : undefined;
    const InstanceId = other?.provisionedId ?? (await launchInstance(customer));
    await ec2.send(new AttachVolumeCommand({ VolumeId: VolumeId ?? "", InstanceId, Device: "/dev/xvdk" }));

    const detached = await context.outcome(await createRequestOf(db, customer, "detach_volume", volume, {}));
    expect([detached.successful, detached.message]).toEqual([true, null]);
    const client = awsOpener(10)(REGION, customer.awsAccount);
    expect(await describeVolume(VolumeId ?? "")(client)).toMatchObject({ attachment: { instanceId: InstanceId } });
    const device = "/dev/xvdk";
    expect(await rowOf(volume.id)).toMatchObject({ serverId: other?.id ?? null, device, state: "in-use" });
  },
);
