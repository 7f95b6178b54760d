import type { FoundRecord } from "@gantry/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { gantry } from "../api.js";
import { Modal } from "../controls/dialog.js";
import { usePlaces } from "./navigation.js";
import styles from "./palette.module.css";

const TYPING_MS = 200;

interface Command {
  key: string;
  title: string;
  hint: string;
  path: string;
}

/** Goes to a page or a record that a person names. */
export function Palette({ account, onClose }: { account: string; onClose: () => void }) {
  const [text, setText] = useState("");
  const [marked, mark] = useState(0);
  const navigate = useNavigate();
  const id = useId();
  const records = useRecords(account, text.trim());
  const words = text.trim().toLowerCase();
  const pages = usePlaces()
    .filter(({ title }) => title.toLowerCase().includes(words))
    .map(({ to, title, group }) => ({ key: to, title, hint: group ?? "", path: to.replace("/$account", "") }));
  const commands: Command[] = [...pages, ...records];
  const run = ({ path }: Command) => {
    onClose();
    void navigate({ to: `/${account}${path}` as string });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && commands.length > 0) mark((marked + step + commands.length) % commands.length);
    const command = commands[marked];
    if (event.key === "Enter" && command) run(command);
    if (step || event.key === "Enter") event.preventDefault();
  };
  return (
    <Modal title="Search or go to a page" onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Page, name, host or id"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={commands[marked] ? `${id}-${marked}` : undefined}
        placeholder="Page, name, host or id"
        autoComplete="off"
        value={text}
        onKeyDown={press}
        onChange={(event) => {
          setText(event.target.value);
          mark(0);
        }}
      />
      <div role="listbox" id={id} aria-label="Pages and records" className={styles.list}>
        {commands.map((command, row) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
          <div
            key={command.key}
            ref={row === marked ? intoView : undefined}
            role="option"
            id={`${id}-${row}`}
            aria-selected={row === marked}
            className={styles.option}
            onClick={() => run(command)}
            onMouseMove={() => mark(row)}
          >
            {command.title} <small>{command.hint}</small>
          </div>
        ))}
      </div>
      {commands.length === 0 && <p>Nothing has this name or id.</p>}
    </Modal>
  );
}

function intoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}

const PLACES: Record<FoundRecord["type"], string> = {
  network: "networks",
  server: "servers",
  environment: "environments",
  database_service: "databases",
  database_server: "database-servers",
  auto_scaling_group: "groups",
  firewall: "firewalls",
  volume: "volumes",
  address: "addresses",
  iam_role: "roles",
  provider: "providers",
  request: "requests",
};

function useRecords(account: string, text: string): Command[] {
  const [asked, ask] = useState("");
  const { routesById } = useRouter();
  useEffect(() => {
    const timer = setTimeout(() => ask(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data } = useQuery({
    queryKey: ["search", account, asked],
    enabled: asked.length > 1,
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }): Promise<FoundRecord[]> => gantry.accounts.search(account, { q: asked }, { signal }),
  });
  if (text.length < 2) return [];
  return (data ?? [])
    .filter(({ type }) => type === "request" || `/$account/${PLACES[type]}/$id` in routesById)
    .map(({ type, id, name, detail }) => ({
      key: `${type}/${id}`,
      title: name ?? `${type.replaceAll("_", " ")} ${id}`,
      hint: [type.replaceAll("_", " "), detail].filter(Boolean).join(" · "),
      path: `/${PLACES[type]}/${id}`,
    }));
}
