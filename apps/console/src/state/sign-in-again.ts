import { store } from "./store.js";

/** True after an act that the API allows only a moment after a sign-in. */
export const mustSignInAgain = store(false);
