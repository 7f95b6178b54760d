/** The fields of a Request's record that the demo reads. */
export interface RequestRecord {
  id: string;
  type: string;
  stage: string | null;
  state: string;
  percent: number;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  request_status?: string;
  resource: string | false;
}

/** An event of a Request. */
export interface RequestEvent {
  type: string;
  record: RequestRecord;
}

interface EventPage {
  events: RequestEvent[];
  next: string;
}

const ENDS = ["request.finished", "request.failed", "request.cancelled"];

/** An HTTP client of Gantry with a token. */
export class Client {
  constructor(
    private readonly baseUrl: string,
    private token?: string,
  ) {}

  async signIn(email: string, password: string): Promise<void> {
    const { api_token } = await this.send<{ api_token: string }>("POST", "/tokens", {
      email,
      password,
      token: { name: "demo", scopes: ["read", "write", "admin"] },
    });
    this.token = api_token;
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.send<T>("POST", path, body);
  }

  async delete(path: string): Promise<void> {
    await this.send("DELETE", path, {});
  }

  /** Calls an endpoint that creates a Request, and returns the Request. */
  async createRequest(method: "POST" | "PUT" | "DELETE", path: string, body: object = {}): Promise<RequestRecord> {
    return (await this.send<{ request: RequestRecord }>(method, path, body)).request;
  }

  /** The events of a Request, from its acceptance to its end. */
  async *events(id: string): AsyncGenerator<RequestEvent> {
    let cursor = "";
    for (;;) {
      const { events, next } = await this.eventPage(id, cursor);
      for (const event of events) {
        yield event;
        if (ENDS.includes(event.type)) return;
      }
      cursor = `&after=${next}`;
    }
  }

  protected eventPage(id: string, cursor: string): Promise<EventPage> {
    return this.get<EventPage>(`/requests/${id}/events?wait=5${cursor}`);
  }

  private async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(path.startsWith("http") ? path : `${this.baseUrl}${path}`, {
      method,
      headers: {
        Accept: "application/vnd.gantry.v3+json",
        "Content-Type": "application/json",
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const content = JSON.parse(text || "{}") as T & { errors?: string[] };
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${content.errors?.join("; ")}`);
    return content;
  }
}
