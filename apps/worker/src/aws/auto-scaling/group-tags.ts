import { CreateOrUpdateTagsCommand, DeleteTagsCommand } from "@aws-sdk/client-auto-scaling";
import type { Aws } from "../clients.js";

/** Changes a group's own tags; its launch template has those of its instances. May be repeated. */
export function changeGroupTags(
  name: string,
  { Tags, removed }: { Tags: { Key: string; Value: string }[]; removed: string[] },
): (aws: Aws) => Promise<void> {
  const group = { ResourceId: name, ResourceType: "auto-scaling-group" };
  const lost = removed.map((Key) => ({ ...group, Key }));
  const tags = Tags.map((tag) => ({ ...group, ...tag, PropagateAtLaunch: false }));
  return async ({ autoScaling }) => {
    if (lost.length > 0) await autoScaling.send(new DeleteTagsCommand({ Tags: lost }));
    if (tags.length > 0) await autoScaling.send(new CreateOrUpdateTagsCommand({ Tags: tags }));
  };
}
