/** The days for which an idempotency key is kept. */
export const IDEMPOTENCY_KEY_DAYS = 30;
