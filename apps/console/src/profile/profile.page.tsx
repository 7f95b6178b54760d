import changePassword from "operation:changePassword";
import createKeypair from "operation:createKeypair";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { gantry } from "../api.js";
import { Facts, Id } from "../controls/facts.js";
import { Check, Choice } from "../controls/field.js";
import { Empty } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import panels from "../controls/panel.module.css";
import { Records } from "../controls/record-list.js";
import { OperationButton } from "../forms/operation.button.js";
import { sshKeyColumns } from "../forms/ssh-keys.js";
import { areKeysOn, turnKeys } from "../frame/shortcuts.js";
import { chooseTheme, chosenTheme, THEMES, type Theme, themeName } from "../frame/theme.js";
import { sessionQuery } from "../session/session.js";

export function Page() {
  const { account } = useParams({ from: "/$account/profile" });
  const { data } = useQuery(sessionQuery);
  const user = data?.session?.user;
  const addKey = (
    <OperationButton account={account} operation={createKeypair} act="Add an SSH key" icon={<Plus aria-hidden />} />
  );
  if (!user) return null;
  return (
    <>
      <Heading title="Profile">
        <OperationButton
          account={account}
          operation={changePassword}
          act="Change the password"
          icon={<KeyRound aria-hidden />}
          labels={{ password: "New password" }}
        >
          <p>Your other sessions and tokens end. This session stays.</p>
        </OperationButton>
        {addKey}
      </Heading>
      <Facts
        facts={[
          ["Name", user.name],
          ["E-mail", user.email],
          ["Id", <Id key="id" id={user.id} />],
          ["Staff", user.staff ? "yes" : undefined],
        ]}
      />
      <div className={panels.panels}>
        <Panel title="SSH keys">
          <Records
            type="keypair"
            of={[user.id]}
            label="SSH keys"
            list={(query, options) => gantry.users.keypairs(user.id, query, options)}
            columns={sshKeyColumns(account, "New servers no longer get the key. Apply a server to take it away there.")}
            empty={
              <Empty title="You have no SSH key yet">
                <p>Gantry installs your keys on the servers of your applications.</p>
                {addKey}
              </Empty>
            }
          />
        </Panel>
        <Panel title="This browser">
          <Preferences />
        </Panel>
      </div>
    </>
  );
}

function Preferences() {
  const [theme, setTheme] = useState(chosenTheme);
  const [areOn, setOn] = useState(areKeysOn);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <div className={panels.form}>
      <Choice label="Theme" value={theme} onChange={(event) => choose(event.target.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {themeName(each)}
          </option>
        ))}
      </Choice>
      <Check
        label="Keyboard shortcuts of one key"
        hint="Such as g r for Requests. Press ? for all of them."
        checked={areOn}
        onChange={(event) => {
          turnKeys(event.target.checked);
          setOn(event.target.checked);
        }}
      />
    </div>
  );
}
