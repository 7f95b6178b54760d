import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/button.js";
import { Curl } from "../controls/curl.js";
import { EventLines } from "../controls/event-lines.js";
import { Empty, Refusal, Skeleton } from "../controls/notice.js";
import { Heading, Panel } from "../controls/panel.js";
import list from "../controls/record-list.module.css";
import { EVENT_TYPES } from "../live/event-stream.js";
import { type EventFilter, useEvents } from "../live/events.js";

export function Page() {
  const { account } = useParams({ from: "/$account/events" });
  const filter = useSearch({ from: "/$account/events" });
  const navigate = useNavigate({ from: "/$account/events" });
  const { events, isPending, error } = useEvents(account, filter);
  const [frozen, freeze] = useState<typeof events>();
  const shown = frozen ?? events;
  const change = (next: EventFilter) => {
    freeze(undefined);
    void navigate({
      search: (before) => Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value)),
      replace: true,
    });
  };
  return (
    <>
      <Heading title="Events">
        <Button onClick={() => freeze(frozen ? undefined : events)}>
          {frozen ? <Play aria-hidden /> : <Pause aria-hidden />}
          {frozen ? "Continue" : "Pause"}
        </Button>
        <Curl path={`/accounts/${account}/events`} />
      </Heading>
      <Panel>
        <form className={list.filters} onSubmit={(event) => event.preventDefault()} aria-label="Filters">
          <select
            aria-label="Type"
            value={filter.type ?? ""}
            onChange={(event) => change({ type: event.target.value })}
          >
            <option value="">Any type</option>
            {EVENT_TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          <input
            type="search"
            aria-label="Subject"
            placeholder="Subject, such as server/3"
            value={filter.subject ?? ""}
            onChange={(event) => change({ subject: event.target.value })}
          />
        </form>
        {error && <Refusal error={error} />}
        {isPending && <Skeleton />}
        {!isPending && !error && shown.length === 0 && <Empty title="No event yet: new ones appear by themselves" />}
        <EventLines events={shown} label="Events" />
      </Panel>
    </>
  );
}
