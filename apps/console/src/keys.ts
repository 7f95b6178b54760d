/** The first part of the keys of what belongs to a Request and is read again after its events. */
export const PARTS_KEY = "parts of a Request";

/** The first part of the key of an account's summary. */
export const SUMMARY_KEY = "summary";
