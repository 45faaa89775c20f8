/** Who reads orders in words: the server that the page came from, or Python inside the page. */

import type { ModeName } from '../physics/numbers';
import type { Download } from '../site/downloads';
import { refusalOf } from '../site/reasons';
import type { Order } from './road';

/** What the page reads of an answer. */
export interface Answer {
  mode: ModeName | null;
  target_lane: number | null;
  target_speed_mph: number | null;
  gap_s: number | null;
  direction: Order['direction'];
  return_lane: number | null;
  sentence: string;
}

/** An order with the situation it is given in, as docs/web.md describes it. */
export type SentOrder = Record<string, unknown>;

/** Nothing could be read; its message is one sentence for the player. */
export class ReaderError extends Error {}

/** Nothing was fetched yet, it is on its way, or orders can be read. */
export type ReadingState = 'asleep' | Download[] | 'ready';

export interface OrderReader {
  /** Resolves when orders can be read; asking again is free. */
  ready(): Promise<void>;
  read(sent: SentOrder): Promise<Answer>;
}

export class ServerReader implements OrderReader {
  constructor(private readonly ask: typeof fetch = (...args) => fetch(...args)) {}

  async ready(): Promise<void> {}

  async read(sent: SentOrder): Promise<Answer> {
    const answer = await this.posted(sent);
    if (!answer.ok) throw new ReaderError(await refusalOf(answer));
    return (await answer.json()) as Answer;
  }

  private async posted(sent: SentOrder): Promise<Response> {
    try {
      return await this.ask('api/highway/orders', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(sent),
      });
    } catch {
      throw new ReaderError('The server does not answer; the buttons still work.');
    }
  }
}
