import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { CardPage } from "../controls/card.js";
import { Refusal } from "../controls/notice.js";

export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <CardPage title="This page does not work">
      <Refusal error={error as Error} onRetry={() => location.reload()} />
    </CardPage>
  );
}

export function NotFoundPage() {
  return (
    <CardPage title="There is no such page">
      <Link to="/">Overview</Link>
    </CardPage>
  );
}
