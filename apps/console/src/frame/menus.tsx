import { Menu } from "@base-ui/react/menu";
import type { Session } from "@gantry/client";
import { useNavigate } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useState } from "react";
import { Dropdown, MenuItem } from "../controls/menu.js";
import styles from "../controls/menu.module.css";
import { signOut } from "../session/session.js";
import { chooseTheme, chosenTheme, THEMES, type Theme, themeName } from "./theme.js";

export function AccountMenu({ session: { accounts, user }, current }: { session: Session; current: string }) {
  const navigate = useNavigate();
  const name = accounts.find(({ id }) => id === current)?.name ?? "Another account";
  return (
    <Dropdown label={`Account ${name}`} shown={name}>
      <Menu.RadioGroup
        value={current}
        onValueChange={(account: string) => void navigate({ to: "/$account", params: { account } })}
      >
        {accounts.map(({ id, name, role }) => (
          <Menu.RadioItem key={id} value={id} className={styles.item} closeOnClick>
            <span className={styles.mark}>
              <Menu.RadioItemIndicator render={<Check aria-hidden />} />
            </span>
            {name} <small>{role}</small>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Separator className={styles.separator} />
      <MenuItem onChoose={() => void navigate({ to: "/accounts" })}>
        {user.staff ? "All accounts" : "Invitations and new accounts"}
      </MenuItem>
    </Dropdown>
  );
}

export function PersonMenu({ account, name, email }: { account: string; name: string; email: string }) {
  const navigate = useNavigate();
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  const leave = async () => {
    await signOut(() => navigate({ to: "/sign-in" }));
  };
  return (
    <Dropdown label={`Signed in as ${name}`} shown={name}>
      <p className={styles.note}>{email}</p>
      <Menu.RadioGroup value={theme} onValueChange={choose} aria-label="Theme">
        {THEMES.map((each) => (
          <Menu.RadioItem key={each} value={each} className={styles.item}>
            <span className={styles.mark}>
              <Menu.RadioItemIndicator render={<Check aria-hidden />} />
            </span>
            {themeName(each)}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Separator className={styles.separator} />
      <MenuItem onChoose={() => void navigate({ to: "/$account/profile", params: { account } })}>Profile</MenuItem>
      <MenuItem onChoose={() => void leave()}>Sign out</MenuItem>
    </Dropdown>
  );
}
