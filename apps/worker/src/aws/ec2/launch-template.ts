import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeInstancesCommand,
  DescribeLaunchTemplatesCommand,
  type RequestLaunchTemplateData,
} from "@aws-sdk/client-ec2";
import type { CloudKind, Intent } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { describeImage, type ServerImage } from "../ssm/server-image.js";
import { type FirstBoot, userData } from "./first-boot.js";
import { type LaunchSettings, launchSettings } from "./launch-settings.js";
import { definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

export interface LaunchTemplateParams extends LaunchSettings {
  /** The ARN of the instance profile. */
  profileArn: string | null;
  firstBoot: FirstBoot;
}

/**
 * The template of the instances that an auto scaling group launches. The instances get the template's tags, not the
 * group's: tags that a group propagates would overwrite those of attached instances.
 */
export const launchTemplate: CloudKind<Aws, LaunchTemplateParams> = {
  kind: "launch_template",
  label: "launch template",
  strategy: "token",
  async find({ ec2 }, intent) {
    const { LaunchTemplates } = await ec2.send(new DescribeLaunchTemplatesCommand(tokenFilter(intent)));
    return definedIds(LaunchTemplates?.map(({ LaunchTemplateId }) => LaunchTemplateId));
  },
  async create({ ec2 }, intent) {
    const { LaunchTemplate } = await ec2.send(
      new CreateLaunchTemplateCommand({
        LaunchTemplateName: `gantry-${intent.token}`,
        ClientToken: intent.token,
        TagSpecifications: tagSpecification("launch-template", intent),
        LaunchTemplateData: templateData(intent.params, intent.tags),
      }),
    );
    return requireId(LaunchTemplate?.LaunchTemplateId);
  },
  obstacles: "none",
  async remove({ ec2 }, id) {
    const gone = /^InvalidLaunchTemplate(Id|Name)\.NotFound$/;
    await ignoring(ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: id })), gone);
  },
};

/** The data of a version of the template. */
export function templateData(params: LaunchTemplateParams, tags: Intent<unknown>["tags"]) {
  const { profileArn, firstBoot } = params;
  return {
    ...launchSettings(params, tags),
    UserData: userData(firstBoot),
    ...(profileArn && { IamInstanceProfile: { Arn: profileArn } }),
  } satisfies RequestLaunchTemplateData;
}

/** The image and the instance profile of a running instance, or undefined if it does not run. */
export function describeLaunch(
  instanceId: string,
): (aws: Aws) => Promise<(ServerImage & Pick<LaunchTemplateParams, "profileArn">) | undefined> {
  return async (aws) => {
    const Filters = [
      { Name: "instance-id", Values: [instanceId] },
      { Name: "instance-state-name", Values: ["running"] },
    ];
    const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ Filters }));
    const [instance] = Reservations?.flatMap(({ Instances }) => Instances ?? []) ?? [];
    const image = instance && (await describeImage(aws, requireId(instance.ImageId)));
    return image && { ...image, profileArn: instance.IamInstanceProfile?.Arn ?? null };
  };
}
