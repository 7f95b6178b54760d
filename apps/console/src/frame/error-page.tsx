import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { CardPage } from "../controls/card.js";
import { Refusal } from "../controls/notice.js";
import { Heading } from "../controls/panel.js";

const FAILED = "This page does not work";

export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <CardPage title={FAILED}>
      <Refusal error={error as Error} onRetry={() => location.reload()} />
    </CardPage>
  );
}

/** The same inside the frame of an account, whose navigation stays. */
export function ErrorInFrame({ error }: ErrorComponentProps) {
  return (
    <>
      <Heading title={FAILED} />
      <Refusal error={error as Error} onRetry={() => location.reload()} />
    </>
  );
}

export function NotFoundPage() {
  return (
    <CardPage title="There is no such page">
      <Link to="/">Overview</Link>
    </CardPage>
  );
}
