import type { Page } from "@gantry/client";
import type { ReactNode } from "react";
import { Button } from "./button.js";
import styles from "./table.module.css";

export interface Column<T> {
  title: string;
  cell: (record: T) => ReactNode;
  /** Numbers and times are aligned at the right. */
  isRight?: boolean;
  /** True for words that must not break at their hyphens, such as a zone. */
  isWhole?: boolean;
}

interface TableProps<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  /** True while a change of the filter is read; the old rows stay. */
  isBusy?: boolean;
  /** What distinguishes rows without an id. */
  keyOf?: (record: T, row: number) => string;
}

/** A table. On a narrow screen its rows become cards. */
export function Table<T extends { id: string | number | null }>(props: TableProps<T>) {
  const { label, columns, rows, isBusy = false, keyOf = ({ id }) => String(id) } = props;
  return (
    <div className={styles.holder}>
      <table className={styles.table} aria-label={label} aria-busy={isBusy}>
        <thead>
          <tr>
            {columns.map(({ title, isRight }) => (
              <th key={title} scope="col" className={isRight ? styles.right : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((record, row) => (
            <tr key={keyOf(record, row)}>
              {columns.map(({ title, cell, isRight, isWhole }) => (
                <td
                  key={title}
                  data-title={title}
                  className={isRight ? styles.right : isWhole ? styles.whole : undefined}
                >
                  {cell(record)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PagingProps {
  page: Page<unknown>;
  /** True on any page but the first. */
  isLater: boolean;
  onFirst: () => void;
  onNext: (cursor: string) => void;
}

export function Paging({ page, isLater, onFirst, onNext }: PagingProps) {
  const { total, isTotalEstimated, items, next } = page;
  const count = total === undefined ? items.length : total;
  return (
    <nav className={styles.paging} aria-label="Pages">
      <span>{`${isTotalEstimated ? "about " : ""}${count.toLocaleString("en")} in all`}</span>
      {isLater && <Button onClick={onFirst}>Newest</Button>}
      {next && <Button onClick={() => onNext(next)}>Older</Button>}
    </nav>
  );
}
