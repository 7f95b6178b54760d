import bootEnvironment from "operation:bootEnvironment";
import type { Plan } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { gantry } from "../api.js";
import { flavorsQuery } from "../controls/choices.js";
import { Choice } from "../controls/field.js";
import { Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { OperationForm } from "../forms/operation.form.js";
import { type CustomShape, configurationOf, SHAPES, type Shape } from "./boot.configuration.js";
import { CustomShapeFields } from "./boot.custom.js";
import { providerQuery } from "./environment.queries.js";

const CUSTOM: CustomShape = {
  apps: "2",
  appFlavor: "",
  dbFlavor: "",
  hasDatabase: true,
  replicas: "0",
  utils: "",
  utilFlavor: "",
};

export function Page() {
  const { account, id } = useParams({ from: "/$account/environments/$id/boot" });
  const { data: environment, error } = useQuery({
    queryKey: ["environment", id],
    queryFn: ({ signal }) => gantry.environments.get(id, { signal }),
  });
  const { data: provider } = useQuery({
    ...providerQuery(account, environment ?? { network: null }),
    enabled: environment !== undefined,
  });
  const { data: flavors } = useQuery({
    ...flavorsQuery(provider ?? "", environment?.region ?? ""),
    enabled: provider !== undefined && environment !== undefined,
  });
  const [shape, setShape] = useState<Shape>("solo");
  const [custom, setCustom] = useState(CUSTOM);
  const trail = (
    <Link to="/$account/environments/$id" params={{ account, id }}>
      {environment?.name ?? "Environment"}
    </Link>
  );
  return (
    <>
      <Heading title={environment ? `Boot ${environment.name}` : "Boot"} trail={trail} />
      <Refusal error={error} />
      {!error && !environment && <Skeleton />}
      {environment && (
        <Panel>
          <div className={panels.form}>
            <Choice label="Shape" value={shape} onChange={(event) => setShape(event.target.value as Shape)}>
              {SHAPES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Choice>
            {shape === "custom" && <CustomShapeFields value={custom} flavors={flavors ?? []} onChange={setCustom} />}
            <OperationForm
              key={shape === "blueprint" ? "blueprint" : "shape"}
              account={account}
              operation={bootEnvironment}
              ids={[id]}
              act="Boot"
              planned={bootText}
              fixed={configurationOf(shape, custom)}
              only={[
                ...(shape === "blueprint" ? ["cluster_configuration.blueprint_id"] : []),
                "cluster_configuration.ip_id",
                "cluster_configuration.host",
              ]}
              labels={{
                "cluster_configuration.ip_id": "Address of the first server",
                "cluster_configuration.host": "Public host of the first server, without an address",
              }}
            />
          </div>
        </Panel>
      )}
    </>
  );
}

/** What the button says that carries out a plan: `Boot 9 servers`. */
function bootText({ resources = [] }: Plan): string {
  const servers = resources.filter(({ kind }) => kind === "server").reduce((sum, { count }) => sum + count, 0);
  return `Boot ${servers} ${servers === 1 ? "server" : "servers"}`;
}
