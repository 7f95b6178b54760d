import type { DatabaseConnection, DatabaseService } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { gantry } from "../api.js";
import { Facts, Id } from "../controls/facts.js";
import form from "../controls/form.module.css";
import { Refusal, Skeleton } from "../controls/notice.js";
import { Secret } from "../controls/secret.js";

/** How a client connects to a database. */
export function Connection({ database }: { database: DatabaseService }) {
  const path = `/database-services/${database.id}`;
  const { data, error } = useQuery({
    queryKey: ["database connection", database.id],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { body } = await gantry.call("GET", `${path}/connection`, { signal });
      return (body as { connection: DatabaseConnection }).connection;
    },
  });
  if (error) return <Refusal error={error} />;
  if (!data) return <Skeleton rows={3} />;
  return (
    <div className={form.padded}>
      <Facts
        facts={[
          ["Host", <Id key="host" id={data.host} />],
          ["Port", data.port],
          ["User", data.username],
          [
            "Password",
            <Secret
              key="password"
              what="password"
              path={path}
              find={(body) => (body as { database_service: DatabaseService }).database_service.password}
            />,
          ],
          ["Replicas", data.replicas.join(", ")],
          ["URL without the password", data.url && <Id key="url" id={data.url} />],
          [
            "Certificates",
            <a key="certificates" href={data.tls_bundle} rel="noreferrer">
              Certificates by which a client verifies the server
            </a>,
          ],
        ]}
      />
      <AwsLinks path={path} />
    </div>
  );
}

const LINKS = [
  ["metrics", "Metrics"],
  ["logs", "Logs"],
  ["events", "Events"],
] as const;

/** Links to a database in the AWS console. */
export function AwsLinks({ path, server }: { path: string; server?: string }) {
  const { data } = useQuery({
    queryKey: ["links to AWS", path, server],
    queryFn: ({ signal }) =>
      Promise.all(
        LINKS.map(async ([name, title]) => {
          const query = { database_server: server };
          const { body } = await gantry.call("GET", `${path}/${name}`, { query, signal });
          return [title, (body as Record<string, string>)[`${name}_url`] ?? ""] as const;
        }),
      ),
  });
  if (!data) return null;
  return (
    <Facts
      facts={[
        [
          "In the AWS console",
          data.map(([title, url]) => (
            <a key={title} href={url} rel="noreferrer" target="_blank">
              {title}
            </a>
          )),
        ],
      ]}
    />
  );
}
