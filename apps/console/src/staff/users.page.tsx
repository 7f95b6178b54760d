import createUser from "operation:createUser";
import deleteUser from "operation:deleteUser";
import resetPassword from "operation:resetPassword";
import type { User } from "@gantry/client";
import { KeyRound, UserMinus, UserPlus } from "lucide-react";
import { gantry } from "../api.js";
import { Empty } from "../controls/notice.js";
import { RecordList } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Ago } from "../controls/time.js";
import { NO_ACCOUNT } from "../forms/may.js";
import { OperationButton } from "../forms/operation.button.js";

/** The users of the installation, whom its staff create; the admins of an account then invite them. */
export function Page() {
  return (
    <RecordList
      title="Users"
      type="user"
      of={["installation"]}
      path="/users"
      list={(query, options) => gantry.users.list(query, options)}
      columns={COLUMNS}
      filters={[
        { name: "q", label: "Name" },
        { name: "email", label: "Whole e-mail" },
      ]}
      acts={
        <OperationButton
          account={NO_ACCOUNT}
          operation={createUser}
          act="Create a user"
          icon={<UserPlus aria-hidden />}
          isMain
          labels={{ "user.email": "E-mail" }}
        />
      }
      empty={<Empty title="No user matches" />}
    />
  );
}

const COLUMNS: Column<User>[] = [
  { title: "Name", cell: ({ name }) => <span className={table.name}>{name}</span> },
  { title: "E-mail", cell: ({ email }) => email },
  { title: "Staff", cell: ({ staff }) => (staff ? "yes" : "no") },
  { title: "Created", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    title: "Acts",
    isRight: true,
    cell: ({ id, name }) => {
      const shared = { account: NO_ACCOUNT, ids: [id], isSmall: true };
      return (
        <span className={table.acts}>
          <OperationButton
            {...shared}
            operation={resetPassword}
            act={`Set the password of ${name}`}
            icon={<KeyRound aria-hidden />}
            labels={{ password: "New password" }}
          >
            <p>The sessions and tokens of {name} end.</p>
          </OperationButton>
          <OperationButton
            {...shared}
            operation={deleteUser}
            act={`Remove ${name}`}
            kind="danger"
            icon={<UserMinus aria-hidden />}
          >
            <p>
              {name} goes, with all memberships, tokens and SSH keys. What {name} provisioned stays.
            </p>
          </OperationButton>
        </span>
      );
    },
  },
];
