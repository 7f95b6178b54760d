import type { Account } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { gantry } from "../api.js";
import { CardPage } from "../controls/card.js";
import { Field } from "../controls/field.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import styles from "./accounts.module.css";

const SHOWN = 20;

/** Leads a person to one of the accounts, such as a member of the staff, who has none of their own. */
export function Page() {
  const [text, setText] = useState("");
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
      </div>
    </CardPage>
  );
}
