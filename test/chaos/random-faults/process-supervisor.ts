/** One life of a process. */
export interface Life {
  pid: number;
  stop(): Promise<unknown>;
  kill(): Promise<unknown>;
  /** Rejects never; resolves when the process has ended, by whatever. */
  ended: Promise<unknown>;
}

const TRIES = 5;

/** A place in the house that one process after the other takes: one that dies is followed by the next at once. */
export class Slot {
  private lives = 0;
  private life: Promise<Life> | undefined;
  /** The process, where one is up. */
  current: Life | undefined;
  private isWanted = true;
  private isKilling = false;

  /**
   * @param begin starts a process under the name that it is to be known by
   * @param onOwnDeath told of a process that ended though nobody had ended it
   */
  constructor(
    readonly name: string,
    private readonly begin: (lifeName: string) => Promise<Life>,
    private readonly onOwnDeath: (lifeName: string) => void,
  ) {}

  /** The name of the process that is there now, or will be. */
  get lifeName(): string {
    return `${this.name}.${this.lives}`;
  }

  /** The process, once it is up. */
  up(): Promise<Life> {
    this.life ??= this.start();
    return this.life;
  }

  /** Kills the process as a crash would and starts the next one, which is not waited for. Gives the dead one's name. */
  async kill(): Promise<string> {
    const life = await this.up();
    const name = this.lifeName;
    this.isKilling = true;
    await life.kill();
    this.isKilling = false;
    this.current = undefined;
    this.life = undefined;
    void this.up().catch(() => {});
    return name;
  }

  async stop(): Promise<void> {
    this.isWanted = false;
    await (await this.life?.catch(() => undefined))?.stop();
  }

  private async start(): Promise<Life> {
    this.lives += 1;
    const name = this.lifeName;
    const life = await this.beginAtLast(name);
    this.current = life;
    void life.ended.then(() => {
      if (this.isKilling || !this.isWanted || this.lifeName !== name) return;
      this.onOwnDeath(name);
      this.current = undefined;
      this.life = undefined;
      void this.up().catch(() => {});
    });
    return life;
  }

  /** As whatever supervises a process does: one that does not start is started again. */
  private async beginAtLast(name: string): Promise<Life> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.begin(name);
      } catch (error) {
        if (tries === TRIES || !this.isWanted) throw error;
      }
    }
  }
}
