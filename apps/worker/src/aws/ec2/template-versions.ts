import {
  CreateLaunchTemplateVersionCommand,
  DescribeLaunchTemplateVersionsCommand,
  type RequestLaunchTemplateData,
  type ResponseLaunchTemplateData,
} from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";
import { flavorSettings } from "./launch-settings.js";
import { type LaunchTemplateParams, templateData } from "./launch-template.js";
import { requireId } from "./tags.js";

/** A version of a launch template. */
export interface TemplateVersion {
  /** Its number, as a text. */
  version: string;
  flavor: string;
}

/** The version with this number, or that of `$Latest` or `$Default`. */
export function describeVersion(templateId: string, version: string): (aws: Aws) => Promise<TemplateVersion> {
  return async (aws) => {
    const { VersionNumber, LaunchTemplateData } = await readVersion(aws, templateId, version);
    return { version: requireId(VersionNumber?.toString()), flavor: LaunchTemplateData?.InstanceType ?? "" };
  };
}

/**
 * Creates a version with the data of another one, and with its flavor if none is named. Returns its number; a repetition with
 * the same token returns the same one.
 */
export function copyVersion(
  templateId: string,
  { from, flavor, token }: { from: string; flavor?: string; token: string },
): (aws: Aws) => Promise<string> {
  return async (aws) => {
    const { LaunchTemplateData = {} } = await readVersion(aws, templateId, from);
    const { EbsOptimized: _, CreditSpecification, ...others } = asWritten(LaunchTemplateData);
    const changed = flavor && { ...others, ...flavorSettings(flavor, CreditSpecification?.CpuCredits) };
    return createVersion(aws, templateId, { data: changed || asWritten(LaunchTemplateData), token });
  };
}

/**
 * Creates a version as a new template would have it, with the tags of another version's instances. Returns its number; a
 * repetition with the same token and parameters returns the same one.
 */
export function renewVersion(
  templateId: string,
  { from, params, token }: { from: string; params: LaunchTemplateParams; token: string },
): (aws: Aws) => Promise<string> {
  return async (aws) => {
    const { TagSpecifications = [] } = asWritten((await readVersion(aws, templateId, from)).LaunchTemplateData ?? {});
    return createVersion(aws, templateId, { data: { ...templateData(params, {}), TagSpecifications }, token });
  };
}

async function createVersion(
  { ec2 }: Aws,
  LaunchTemplateId: string,
  { data, token }: { data: RequestLaunchTemplateData; token: string },
): Promise<string> {
  const version = { LaunchTemplateId, LaunchTemplateData: data, ClientToken: token };
  const { LaunchTemplateVersion } = await ec2.send(new CreateLaunchTemplateVersionCommand(version));
  return requireId(LaunchTemplateVersion?.VersionNumber?.toString());
}

async function readVersion({ ec2 }: Aws, LaunchTemplateId: string, version: string) {
  const query = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: [version] });
  return (await ec2.send(query)).LaunchTemplateVersions?.[0] ?? {};
}

/** AWS shows the fields of a template's data in the form that it accepts; the SDK omits those that are read-only. */
export function asWritten(data: ResponseLaunchTemplateData): RequestLaunchTemplateData {
  return data as RequestLaunchTemplateData;
}
