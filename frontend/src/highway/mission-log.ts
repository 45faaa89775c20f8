/** Missions on their way to the server's log; those it did not get yet are kept. */
import { isRecord, read, type TextStore, write } from '../site/storage';
import type { MissionRecord } from './drive';

const KEY = 'missions';
const MOST_PENDING = 50;

export class MissionPost {
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: TextStore,
    private readonly hasServer: boolean,
    private readonly ask: typeof fetch = (...args) => fetch(...args),
  ) {}

  /** Send a mission; a server that does not answer gets it later. */
  add(record: MissionRecord): Promise<void> {
    if (!this.hasServer) return Promise.resolve();
    write(this.store, KEY, [...this.pending(), record].slice(-MOST_PENDING));
    return this.deliver();
  }

  /** Send what is waiting, oldest first; one sender at a time. */
  deliver(): Promise<void> {
    this.sending = this.sending.then(() => this.sendAll());
    return this.sending;
  }

  pending(): unknown[] {
    return read(this.store, KEY, (value) => (Array.isArray(value) ? value.filter(isRecord) : null), []);
  }

  private async sendAll(): Promise<void> {
    for (let record = this.pending()[0]; record; record = this.pending()[0]) {
      if (!(await this.send(record))) return;
      write(this.store, KEY, this.pending().slice(1));
    }
  }

  /** Whether the record need not be sent again: it arrived, or the server will never want it. */
  private async send(record: unknown): Promise<boolean> {
    try {
      const answer = await this.ask('api/missions', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(record),
      });
      return answer.ok || (answer.status >= 400 && answer.status < 500 && answer.status !== 429);
    } catch {
      return false;
    }
  }
}
