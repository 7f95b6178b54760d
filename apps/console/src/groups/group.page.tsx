import deleteAutoScalingGroup from "operation:deleteAutoScalingGroup";
import modifyAutoScalingGroup from "operation:modifyAutoScalingGroup";
import patchAutoScalingGroup from "operation:patchAutoScalingGroup";
import type { AutoScalingGroup, Blueprint, Environment } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { SlidersHorizontal, Tags as TagsIcon, Trash2 } from "lucide-react";
import { gantry } from "../api.js";
import { type Choices, flavorsQuery } from "../controls/choices.js";
import { Id, Tags } from "../controls/facts.js";
import { RecordLink } from "../controls/record-link.js";
import { RecordPage } from "../controls/record-page.js";
import { Status, stateOf } from "../controls/status.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";

export function Page() {
  const { account, id } = useParams({ from: "/$account/groups/$id" });
  return (
    <RecordPage<AutoScalingGroup>
      type="auto_scaling_group"
      path="/auto_scaling_groups"
      above={["Groups", "groups"]}
      titleOf={({ provisioned_id }) => provisioned_id ?? `Group ${id.slice(-8)}`}
      facts={(group) => [
        ["State", <Status key="state" state={stateOf(group)} />],
        ["Environment", <RecordLink key="environment" url={group.environment} />],
        ["Servers", `${group.desired_capacity} wanted, ${group.minimum_size} to ${group.maximum_size}`],
        ["Flavor", group.flavor ?? "that of the app master"],
        ["Blueprint", group.blueprint?.split("/").at(-1)?.slice(-8)],
        ["Region", group.location_id],
        ["Group in AWS", <Id key="id" id={group.provisioned_id} />],
        ["Tags", <Tags key="tags" tags={group.tags} />],
        ["Created", <Ago key="created" at={group.created_at} />],
      ]}
      acts={(group) => <Acts account={account} group={group} />}
    />
  );
}

function Acts({ account, group }: { account: string; group: AutoScalingGroup }) {
  const { data } = useQuery({
    queryKey: ["choices of a group", account, group.environment],
    queryFn: ({ signal }) => choicesOf(account, group, signal),
  });
  const { data: flavors } = useQuery({
    ...flavorsQuery(data?.provider ?? "", group.location_id),
    enabled: data?.provider !== undefined,
  });
  const shared = {
    account,
    ids: [group.id],
    record: group,
    impossible: group.deleted_at ? "It is removed" : undefined,
  };
  return (
    <>
      <OperationButton
        {...shared}
        operation={modifyAutoScalingGroup}
        act="Modify"
        icon={<SlidersHorizontal aria-hidden />}
        choices={{ "auto_scaling_group.flavor": flavors, "auto_scaling_group.blueprint_id": data?.blueprints }}
        labels={{ min_healthy_percentage: "Instances that stay in service, in percent" }}
        record={{ ...group, blueprint_id: group.blueprint?.split("/").at(-1) }}
      />
      <OperationButton
        {...shared}
        operation={patchAutoScalingGroup}
        act="Edit tags"
        icon={<TagsIcon aria-hidden />}
        only={["auto_scaling_group.tags"]}
      />
      <OperationButton
        {...shared}
        operation={deleteAutoScalingGroup}
        act="Remove the group"
        kind="danger"
        icon={<Trash2 aria-hidden />}
      >
        <p>The group goes, with the servers that it launched. The app master stays.</p>
      </OperationButton>
    </>
  );
}

async function choicesOf(account: string, group: AutoScalingGroup, signal: AbortSignal) {
  const id = group.environment.split("/").at(-1) ?? "";
  const [environment, blueprints, providers] = await Promise.all([
    gantry.environments.get(id, { signal }),
    gantry.environments.blueprints(id, { per_page: 100 }, { signal }).page(),
    gantry.accounts.providers(account, {}, { signal }).page(),
  ]);
  return {
    provider: await providerOf(environment, providers.items[0]?.id, signal),
    blueprints: blueprints.items.map(({ id, name }: Blueprint) => [id, name] as const) satisfies Choices,
  };
}

async function providerOf({ network }: Environment, first: number | undefined, signal: AbortSignal) {
  if (!network) return first?.toString();
  const { provider } = await gantry.networks.get(network.split("/").at(-1) ?? "", { signal });
  return provider.split("/").at(-1);
}
