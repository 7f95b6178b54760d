import { signIn } from "./session.js";

let refusal: Error | undefined;

/** Signs in with the code of a link `#sign-in=CODE`, and takes the code out of the address. */
export async function followOneTimeLink(): Promise<void> {
  const code = /^#sign-in=(.+)$/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  refusal = await signIn({ code: decodeURIComponent(code) }).then(
    () => undefined,
    (error: Error) => error,
  );
}

/** Why the link of this load was refused. */
export function linkRefusal(): Error | undefined {
  return refusal;
}
