import styles from "./brand.module.css";

export function Brand() {
  return (
    <>
      <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
        <path d="M5 28V9h22v19M3 9h26M16 9v8m-4 0h8v6h-8z" />
      </svg>
      Gantry
    </>
  );
}
