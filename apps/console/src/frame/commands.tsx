import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../controls/button.js";
import { Palette } from "./command-palette.js";
import styles from "./frame.module.css";
import { KeyHelp } from "./key-help.js";
import { areKeysOn, shortcutReader } from "./shortcuts.js";

/** The button of the command palette, and the keys of the console. */
export function Commands({ account }: { account: string }) {
  const [shown, show] = useState<"palette" | "help">();
  const navigate = useNavigate();
  useEffect(() => {
    const read = shortcutReader(areKeysOn);
    const press = (event: KeyboardEvent) => {
      const shortcut = read(event, isTypedInto(event.target));
      if (!shortcut || (shortcut !== "palette" && document.querySelector("[role=dialog], [role=alertdialog]"))) return;
      if (shortcut === "filter") {
        const filter = document.querySelector<HTMLInputElement>("main input[type=search]");
        if (!filter) return;
        filter.focus();
      } else if (typeof shortcut === "object") void navigate({ to: `/${account}${shortcut.open}` as string });
      else show(shortcut);
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [account, navigate]);
  const close = () => show(undefined);
  return (
    <>
      <Button className={styles.search} onClick={() => show("palette")}>
        <Search aria-hidden />
        <span>Search or go to a page</span>
        <kbd>Ctrl K</kbd>
      </Button>
      {shown === "palette" && <Palette account={account} onClose={close} />}
      {shown === "help" && <KeyHelp onClose={close} />}
    </>
  );
}

function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
