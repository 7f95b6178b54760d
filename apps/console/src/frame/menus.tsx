import { Menu } from "@base-ui/react/menu";
import type { Session } from "@gantry/client";
import { useNavigate } from "@tanstack/react-router";
import { Check, ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { signOut } from "../session/session.js";
import styles from "./menus.module.css";
import { chooseTheme, chosenTheme, THEMES, type Theme, themeName } from "./theme.js";

function Dropdown({ label, shown, children }: { label: string; shown: ReactNode; children: ReactNode }) {
  // The popup stays in the header, a landmark.
  const [place, setPlace] = useState<HTMLElement | null>(null);
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.trigger} aria-label={label}>
        <span className={styles.shown}>{shown}</span>
        <ChevronDown aria-hidden />
      </Menu.Trigger>
      <span ref={setPlace} />
      <Menu.Portal container={place}>
        <Menu.Positioner align="end" sideOffset={4} className={styles.positioner}>
          <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

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
      {user.staff && (
        <Menu.Item className={styles.item} onClick={() => void navigate({ to: "/accounts" })}>
          <span className={styles.mark} />
          All accounts
        </Menu.Item>
      )}
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
    await signOut();
    await navigate({ to: "/sign-in" });
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
      <Menu.Item
        className={styles.item}
        onClick={() => void navigate({ to: "/$account/profile", params: { account } })}
      >
        <span className={styles.mark} />
        Profile
      </Menu.Item>
      <Menu.Item className={styles.item} onClick={() => void leave()}>
        <span className={styles.mark} />
        Sign out
      </Menu.Item>
    </Dropdown>
  );
}
