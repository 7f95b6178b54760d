import createAccountInvitation from "operation:createAccountInvitation";
import createAccountMembership from "operation:createAccountMembership";
import deleteInvitation from "operation:deleteInvitation";
import deleteMembership from "operation:deleteMembership";
import patchMembership from "operation:patchMembership";
import revokeMembershipTokens from "operation:revokeMembershipTokens";
import type { Invitation, Membership, User } from "@gantry/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { KeyRound, Pencil, UserMinus, UserPlus, X } from "lucide-react";
import { gantry } from "../api.js";
import { Curl } from "../controls/curl.js";
import { Empty } from "../controls/notice.js";
import { Heading } from "../controls/panel.js";
import { peopleQuery } from "../controls/people.js";
import { partsOf } from "../controls/record-link.js";
import { recordsTab } from "../controls/record-list.js";
import type { Column } from "../controls/table.js";
import table from "../controls/table.module.css";
import { Tabs } from "../controls/tabs.js";
import { Ago } from "../controls/time.js";
import { OperationButton } from "../forms/operation.button.js";
import { sessionQuery } from "../session/session.js";

export function Page() {
  const { account } = useParams({ from: "/$account/people" });
  const { data: session } = useQuery(sessionQuery);
  const { data: people } = useQuery(peopleQuery(account));
  const invite = (
    <OperationButton
      account={account}
      operation={createAccountInvitation}
      act="Invite a person"
      icon={<UserPlus aria-hidden />}
      isMain
      labels={{ "invitation.email": "E-mail" }}
    />
  );
  return (
    <>
      <Heading title="People">
        <Curl path={`/accounts/${account}/memberships`} />
        {session?.session?.user.staff && (
          <OperationButton
            account={account}
            operation={createAccountMembership}
            act="Add a user"
            icon={<UserPlus aria-hidden />}
            labels={{ "membership.email": "E-mail" }}
          />
        )}
        {invite}
      </Heading>
      <Tabs
        label="People"
        tabs={[
          recordsTab("members", "Members", {
            type: "membership",
            of: [account],
            list: (query, options) => gantry.accounts.memberships(account, query, options),
            columns: members(account, people),
            empty: <Empty title="This account has no member" />,
          }),
          recordsTab("invitations", "Invitations", {
            type: "invitation",
            of: [account],
            list: (query, options) => gantry.invitations.list({ account, ...query }, options),
            columns: invitations(account),
            empty: <Empty title="No invitation is open">{invite}</Empty>,
          }),
        ]}
      />
    </>
  );
}

function members(account: string, people: Map<string, User> | undefined): Column<Membership>[] {
  const personOf = ({ user }: Membership) => people?.get(partsOf(user)[1]);
  const nameOf = (membership: Membership) => personOf(membership)?.name ?? partsOf(membership.user)[1].slice(-8);
  return [
    { title: "Name", cell: (membership) => <span className={table.name}>{nameOf(membership)}</span> },
    { title: "E-mail", cell: (membership) => personOf(membership)?.email ?? "–" },
    { title: "Role", cell: ({ role }) => role },
    { title: "Since", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Acts",
      isRight: true,
      cell: (membership) => {
        const shared = { account, ids: [membership.id], isSmall: true };
        const name = nameOf(membership);
        return (
          <span className={table.acts}>
            <OperationButton
              {...shared}
              operation={patchMembership}
              act={`Change the role of ${name}`}
              icon={<Pencil aria-hidden />}
              record={membership}
            />
            <OperationButton
              {...shared}
              operation={revokeMembershipTokens}
              act={`Revoke the tokens of ${name}`}
              kind="danger"
              icon={<KeyRound aria-hidden />}
            >
              <p>
                The tokens of {name} lose this account, and the service tokens that {name} created end.
              </p>
            </OperationButton>
            <OperationButton
              {...shared}
              operation={deleteMembership}
              act={`Remove ${name}`}
              kind="danger"
              icon={<UserMinus aria-hidden />}
            >
              <p>
                {name} leaves the account, and the service tokens that {name} created end. What {name} provisioned
                stays.
              </p>
            </OperationButton>
          </span>
        );
      },
    },
  ];
}

function invitations(account: string): Column<Invitation>[] {
  return [
    { title: "E-mail", cell: ({ email }) => <span className={table.name}>{email}</span> },
    { title: "Role", cell: ({ role }) => role },
    { title: "Sent", isRight: true, cell: ({ created_at }) => <Ago at={created_at} /> },
    {
      title: "Act",
      isRight: true,
      cell: ({ id, email }) => (
        <OperationButton
          account={account}
          operation={deleteInvitation}
          ids={[id]}
          act={`Withdraw the invitation of ${email}`}
          kind="danger"
          isSmall
          icon={<X aria-hidden />}
        />
      ),
    },
  ];
}
