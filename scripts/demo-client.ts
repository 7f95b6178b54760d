/** The fields of a Request's record that the demo reads. */
export interface RequestRecord {
  id: string;
  type: string;
  stage: string | null;
  finished_at: string | null;
  successful: boolean;
  message: string | null;
  request_status?: string;
  resource: string | false;
}

interface Stage {
  name: string;
  state: string;
}

interface Message {
  message: string;
}

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

  /** Calls an endpoint that opens a Request, and returns the Request. */
  async openRequest(method: "POST" | "PUT" | "DELETE", path: string, body: object = {}): Promise<RequestRecord> {
    return (await this.send<{ request: RequestRecord }>(method, path, body)).request;
  }

  /** Returns the progress of a Request; waits up to a second for its end. */
  async poll(id: string) {
    const { request } = await this.get<{ request: RequestRecord }>(`/requests/${id}?wait=1`);
    return { request, ...(await this.details(id)) };
  }

  async details(id: string): Promise<{ stages: Stage[]; messages: string[] }> {
    const [{ stages }, { messages }] = await Promise.all([
      this.get<{ stages: Stage[] }>(`/requests/${id}/stages`),
      this.get<{ messages: Message[] }>(`/requests/${id}/messages`),
    ]);
    return { stages, messages: messages.map(({ message }) => message) };
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
