import { describe, expect, it } from 'vitest';
import { Board, eventKey, eventOf, type NewLap } from '../../src/race/board';
import { memoryStore } from '../../src/site/storage';

const lap = (ticks: number, track = 'track-01'): NewLap => ({
  track,
  name: 'Ada',
  ticks,
  lap: 2,
  fingerprint: 'physics',
  drive: { inputs: 'AAAA', respawns: [] },
});
const clock = () => new Date('2026-01-31T12:00:00Z');

/** A server that answers from a list, then repeats the last answer; null is no answer at all. */
function server(...answers: ([number, unknown] | null)[]) {
  const asked: { url: string; body: unknown }[] = [];
  const ask = (async (url: string, options?: RequestInit) => {
    asked.push({ url, body: options?.body ? JSON.parse(String(options.body)) : null });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) throw new TypeError('Failed to fetch');
    return new Response(JSON.stringify(answer[1]), { status: answer[0] });
  }) as unknown as typeof fetch;
  return { ask, asked };
}

const physics = () => 'physics';

describe('a board without a server', () => {
  it('keeps the fastest laps of every track in the browser, over a reload', async () => {
    const store = memoryStore();
    const board = new Board(store, false, physics, server(null).ask, clock);
    for (const ticks of [500, 450, 480]) expect(await board.add(lap(ticks))).toBe('kept');
    for (let i = 0; i < 12; i++) await board.add(lap(900 + i, 'track-02'));
    const again = new Board(store, false, physics);
    expect((await again.top('track-01')).map(({ ticks }) => ticks)).toEqual([450, 480, 500]);
    expect(await again.top('track-02')).toHaveLength(10);
    expect((await again.best(['track-01', 'track-02', 'track-03']))['track-01']!.ticks).toBe(450);
  });

  it('gives back how a lap was driven', async () => {
    const board = new Board(memoryStore(), false, physics, server(null).ask, clock);
    await board.add({ ...lap(400), drive: { inputs: 'BBBB', respawns: [3] } });
    const [first] = await board.top('track-01');
    expect(await board.drive(first!)).toEqual({ inputs: 'BBBB', respawns: [3] });
  });

  it('does not show laps of another physics, nor damaged ones', async () => {
    const store = memoryStore();
    store.setItem(
      'hotlap.laps',
      JSON.stringify([{ ...lap(1), fingerprint: 'other' }, { ticks: 'x' }, null, 3]),
    );
    expect(await new Board(store, false, physics).top('track-01')).toEqual([]);
  });
});

describe('a board on a server', () => {
  it('sends a lap as the contract says', async () => {
    const { ask, asked } = server([201, { lap: {}, rank: 3 }]);
    const board = new Board(memoryStore(), true, physics, ask, clock);
    expect(await board.add(lap(431))).toBe('sent');
    expect(board.rank).toBe(3);
    const { lap: _, ...content } = lap(431);
    expect(asked).toEqual([{ url: 'api/laps', body: content }]);
  });

  it('keeps laps while the server is gone and sends them in order when it is back', async () => {
    const store = memoryStore();
    const board = new Board(store, true, physics, server(null).ask, clock);
    expect(await board.add(lap(431))).toBe('kept');
    expect(await board.add(lap(420))).toBe('kept');
    const { ask, asked } = server([201, {}]);
    const later = new Board(store, true, physics, ask, clock);
    await later.deliver();
    expect(asked.map(({ body }) => (body as NewLap).ticks)).toEqual([431, 420]);
    expect(later.pending()).toEqual([]);
  });

  it.each([[429], [500], [503]])('keeps a lap that was answered %i', async (status) => {
    const board = new Board(memoryStore(), true, physics, server([status, {}]).ask, clock);
    expect(await board.add(lap(431))).toBe('kept');
    expect(board.pending()).toHaveLength(1);
  });

  it.each([[400], [404], [409], [413], [422]])(
    'drops a lap that was refused with %i, and says why',
    async (status) => {
      const board = new Board(memoryStore(), true, physics, server([status, { error: 'no' }]).ask, clock);
      expect(await board.add(lap(431))).toBe('refused');
      expect(board.refusal).toBe('no');
      expect(board.pending()).toEqual([]);
    },
  );

  it('sends nothing twice when two deliveries meet', async () => {
    const store = memoryStore();
    await new Board(store, true, physics, server(null).ask, clock).add(lap(431));
    const { ask, asked } = server([200, {}]);
    const board = new Board(store, true, physics, ask, clock);
    await Promise.all([board.deliver(), board.deliver()]);
    expect(asked).toHaveLength(1);
  });

  it('shows what this browser remembers when the server does not answer', async () => {
    const board = new Board(memoryStore(), true, physics, server(null).ask, clock);
    await board.add(lap(431));
    expect((await board.top('track-01')).map(({ ticks }) => ticks)).toEqual([431]);
    expect((await board.best(['track-01']))['track-01']!.ticks).toBe(431);
  });

  it('treats damaged pending laps as none', async () => {
    const store = memoryStore();
    store.setItem('hotlap.pending', '[{"ticks":');
    const { ask, asked } = server([201, {}]);
    await new Board(store, true, physics, ask).deliver();
    expect(asked).toEqual([]);
  });
});

describe('laps of a car with grip', () => {
  it('stay in this browser, apart from those of other cars, and remember what helped', async () => {
    const { ask, asked } = server([201, { lap: {}, rank: 1 }]);
    const board = new Board(memoryStore(), true, physics, ask, clock);
    const drive = { inputs: 'AAAA', respawns: [], assists: { traction: true, antiLock: false } };
    expect(await board.add({ ...lap(4000, eventKey('quarry', 'gt')), drive })).toBe('kept');
    expect(asked).toEqual([]);
    const [mine] = await board.top('quarry.gt');
    expect((await board.drive(mine!)).assists).toEqual({ traction: true, antiLock: false });
    expect(await board.top('quarry.street')).toEqual([]);
    expect(eventOf(mine!.track)).toEqual(['quarry', 'gt']);
    expect(eventKey('track-01', 'classic')).toBe('track-01');
  });
});
