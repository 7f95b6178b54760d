import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { Menu as MenuIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { Brand } from "../controls/brand.js";
import { Button } from "../controls/button.js";
import { follow } from "../live/event-stream.js";
import { sessionQuery } from "../session/session.js";
import { SignInDialog } from "../session/sign-in.dialog.js";
import { Commands } from "./commands.js";
import { ContactBar } from "./contact-bar.js";
import styles from "./frame.module.css";
import { AccountMenu, PersonMenu } from "./menus.js";
import { Navigation } from "./navigation.js";
import { ReasonBar } from "./reason-bar.js";
import { VersionBar } from "./version-bar.js";

/** What surrounds every page of an account. */
export function Page() {
  const { account } = useParams({ from: "/$account" });
  const { data } = useQuery(sessionQuery);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => follow(account), [account]);
  const session = data?.session;
  return (
    <>
      <a className={styles.skip} href="#content">
        Skip to the page
      </a>
      <header className={styles.header}>
        <Button
          kind="icon"
          className={styles.opener}
          aria-label="Navigation"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <MenuIcon aria-hidden />
        </Button>
        <Link to="/$account" params={{ account }} className={styles.brand}>
          <Brand />
        </Link>
        {session && <AccountMenu session={session} current={account} />}
        <span className={styles.space} />
        <Commands account={account} />
        <span className={styles.space} />
        {session && <PersonMenu account={account} name={session.user.name} email={session.user.email} />}
      </header>
      <ContactBar />
      <VersionBar />
      <ReasonBar account={account} />
      <div className={styles.body}>
        <Navigation isOpen={isOpen} onFollow={() => setOpen(false)} />
        <main id="content" className={styles.content} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <SignInDialog />
    </>
  );
}
