/** The time for which a worker uses a provider's credentials before it reads them again. */
export const CREDENTIALS_KEPT_SECONDS = 60;
