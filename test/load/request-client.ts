export interface FinishedRequest {
  id: string;
  successful: boolean;
  message: string | null;
  resource: string;
  finished_at?: string;
}

/** Calls the API with a token. */
export function requestClient(api: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };

  async function send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Creates a Request and waits for its successful end. */
  async function requestAndWait(
    method: "POST" | "PUT" | "DELETE",
    path: string,
    body: object = {},
  ): Promise<FinishedRequest> {
    let { request } = await send<{ request: FinishedRequest }>(method, path, body);
    do ({ request } = await send<{ request: FinishedRequest }>("GET", `/requests/${request.id}?wait=60`));
    while (!request.finished_at);
    if (!request.successful) throw new Error(`${path} failed: ${request.message}`);
    return request;
  }

  return { send, requestAndWait };
}
