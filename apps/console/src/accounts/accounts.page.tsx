import createAccount from "operation:createAccount";
import type { Account } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { cache, gantry } from "../api.js";
import { Button } from "../controls/button.js";
import { CardPage } from "../controls/card.js";
import { Field } from "../controls/field.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { NO_ACCOUNT } from "../forms/may.js";
import { OperationButton } from "../forms/operation.button.js";
import { sessionQuery, signOut } from "../session/session.js";
import styles from "./accounts.module.css";
import { Invitations } from "./invitations.js";

const SHOWN = 20;

/** Leads a person to an account: one of theirs, one to which they are invited, or a new one. */
export function Page() {
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const { data, error } = useQuery({
    queryKey: ["account", "list", text],
    queryFn: async ({ signal }): Promise<Account[]> => {
      const query = { per_page: SHOWN, ...(text && { q: text }) };
      return (await gantry.accounts.list(query, { signal }).page()).items;
    },
  });
  return (
    <CardPage title="Accounts">
      <div className={styles.list}>
        <Field label="Name or id" type="search" value={text} onChange={(event) => setText(event.target.value.trim())} />
        <Refusal error={error} />
        {!data && !error && <Skeleton rows={3} />}
        {data?.length === 0 && <Empty title={text ? "No account matches" : "You are not a member of an account yet"} />}
        <ul>
          {data?.map(({ id, name }) => (
            <li key={id}>
              <Link to="/$account" params={{ account: id }}>
                {name} <small>{id.slice(0, 8)}</small>
              </Link>
            </li>
          ))}
        </ul>
        <Invitations />
        <div className={styles.acts}>
          <OperationButton
            account={NO_ACCOUNT}
            operation={createAccount}
            act="Create an account"
            icon={<Plus aria-hidden />}
            only={["account.name"]}
            onDone={async (body) => {
              await cache.fetchQuery({ ...sessionQuery, staleTime: 0 });
              const { id } = (body as { account: Account }).account;
              await navigate({ to: "/$account", params: { account: id } });
            }}
          />
          <Button kind="link" onClick={() => void signOut(() => navigate({ to: "/sign-in" }))}>
            Sign out
          </Button>
        </div>
      </div>
    </CardPage>
  );
}
