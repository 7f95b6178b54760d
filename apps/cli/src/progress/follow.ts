import type { CancelResult, GantryEvent, RequestHandle } from "@gantry/client";
import { CommandError, EXIT } from "../exit-codes.js";
import { waysOn } from "../failures.js";
import type { Session } from "../session.js";
import { duration, render } from "./render.js";
import { after, type View, viewOf } from "./view.js";

const FRAME_MS = 100;

/** Shows a Request on standard error while `act` waits for it: a view that is drawn again, or one line for each change. */
async function shown<R>(
  session: Session,
  handle: RequestHandle,
  act: (options: Parameters<RequestHandle["done"]>[0]) => Promise<R>,
): Promise<R> {
  const { terminal, options } = session;
  const stop = new AbortController();
  const interrupted = () => stop.abort(new CommandError("the work goes on", EXIT.interrupted, wayOnLines(handle)));
  // Before the first drawing, at which people press Ctrl-C. With `once`, the package that restores the cursor would take
  // itself for the only listener, and end the process.
  process.on("SIGINT", interrupted);
  let view = viewOf(handle.record ?? { id: handle.id }, Date.now());
  const display = options.quiet
    ? undefined
    : terminal.isLive
      ? await liveDisplay(session, () => view)
      : lineDisplay(session, view);
  try {
    return await act({
      children: true,
      timeoutMs: options.timeout,
      signal: stop.signal,
      onEvent: (event) => {
        view = after(view, event);
        display?.event(event, view);
      },
      onContact: ({ lost, since, reason }) => {
        const { lostSince: _, lostReason: __, ...rest } = view;
        view = lost ? { ...rest, lostSince: since.getTime(), lostReason: reason } : rest;
        display?.contact(view);
      },
    });
  } finally {
    process.removeListener("SIGINT", interrupted);
    display?.end();
  }
}

/** Waits for the end of a Request and shows it. */
export async function follow<T>(session: Session, handle: RequestHandle<T>): Promise<T> {
  return shown(session, handle, (options) => handle.done(options) as Promise<T>) as Promise<T>;
}

/** Cancels a Request, and shows how what it made is removed. */
export async function followCancel(session: Session, handle: RequestHandle): Promise<CancelResult> {
  return shown(session, handle, (options) => handle.cancel(options));
}

interface Display {
  event(event: GantryEvent, view: View): void;
  contact(view: View): void;
  end(): void;
}

async function liveDisplay({ terminal }: Session, current: () => View): Promise<Display> {
  const { createLogUpdate } = await import("log-update");
  const update = createLogUpdate(terminal.err, { showCursor: true });
  const draw = () => {
    const { columns = 80, rows = 24 } = terminal.err;
    update(render(current(), Date.now(), { columns, rows }, terminal.style).join("\n"));
  };
  const timer = setInterval(draw, FRAME_MS);
  draw();
  return {
    event: () => {},
    contact: () => {},
    end: () => {
      clearInterval(timer);
      draw();
      update.done();
    },
  };
}

function lineDisplay({ terminal }: Session, { root }: View): Display {
  const write = (at: string, text: string) => terminal.err.write(`${at.slice(0, 19)}Z ${text}\n`);
  const shown = new Map<string, string>();
  return {
    event: (event, view) => {
      const child =
        event.subject.id === root.id ? undefined : view.root.children.find(({ id }) => id === event.subject.id);
      const request = child ?? view.root;
      const stage = request.stages.at(-1)?.name;
      const took = request.endedAt ? ` in ${duration(request.endedAt - request.startedAt)}` : "";
      const what = event.type.replace("request.", "").replaceAll("_", " ");
      const word = what === "stage" ? stage : what === "message" ? undefined : `${what}${took}`;
      const message = event.message ?? request.message;
      // The reason of a failure comes with several events.
      const isKnown = message === shown.get(request.id);
      if (message) shown.set(request.id, message);
      const details = [word, isKnown ? undefined : message].filter(Boolean).join(": ");
      if (details) write(event.created_at, `${child ? `  ${child.title}` : `request ${root.id}`} ${details}`);
    },
    contact: ({ lostSince, lostReason }) =>
      write(
        new Date().toISOString(),
        lostSince === undefined ? "in contact again" : `no contact, trying: ${lostReason}`,
      ),
    end: () => {},
  };
}

function wayOnLines({ record }: RequestHandle): string[] {
  const [watch, cancel] = waysOn(record);
  return [`follow it:  ${watch}`, ...(cancel ? [`cancel it:  ${cancel}`] : [])];
}
