import { createContext, type ReactNode, useState } from "react";
import buttons from "../controls/button.module.css";
import { Dropdown } from "../controls/menu.js";

interface Acts {
  /** An act inside a menu is an item there, and a dialog beside the menu when it is chosen. */
  part: "item" | "dialog";
  /** The key of the act whose dialog is open. */
  chosen: string | undefined;
  choose: (key: string | undefined) => void;
}

/** The menu in which an act stands; undefined for a button of its own. */
export const ActsMenu = createContext<Acts | undefined>(undefined);

/** A menu of the acts that a page has no room for. */
export function More({ children }: { children: ReactNode }) {
  const [chosen, choose] = useState<string>();
  return (
    <>
      <Dropdown shown="More" className={`${buttons.button} ${buttons.plain}`}>
        <ActsMenu value={{ part: "item", chosen, choose }}>{children}</ActsMenu>
      </Dropdown>
      {/* A dialog must not live in the menu, which closes. */}
      <ActsMenu value={{ part: "dialog", chosen, choose }}>{children}</ActsMenu>
    </>
  );
}
