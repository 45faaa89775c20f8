import { describe, expect, it } from 'vitest';
import { MissionPost } from '../../src/highway/mission-log';
import { ServerReader } from '../../src/highway/order-reader';
import { situation, understand } from '../../src/highway/orders';
import { NOTHING_SAID } from '../../src/highway/road';
import { Ear, type RecognitionMaker } from '../../src/highway/voice';
import { memoryStore } from '../../src/site/storage';
import { decisions, driving } from './roads';

const answering = (status: number, body: unknown) => async () =>
  new Response(JSON.stringify(body), { status });
const server = (status: number, body: unknown) => new ServerReader(answering(status, body));

describe('an order in words', () => {
  const heard = {
    mode: 'cruise',
    target_lane: null,
    target_speed_mph: 60,
    gap_s: 3,
    direction: null,
    return_lane: null,
  };

  it('becomes a mission in SI units, with a sentence', async () => {
    const { drive } = await driving(1, 5);
    const result = await understand(
      'cruise at 60',
      'text',
      drive,
      'mph',
      server(200, { ...heard, sentence: 'Cruise at 60 mph.' }),
    );
    expect(result).toEqual({
      order: { ...NOTHING_SAID, mode: 'cruise', target_speed_mps: 60 * 0.44704, gap_s: 3 },
      sentence: 'Cruise at 60 mph.',
    });
  });

  it('that is refused gives the reason and no mission', async () => {
    const { drive } = await driving(1, 5);
    const refusal = { ...heard, mode: null, sentence: 'There is no lane to the left.' };
    expect(await understand('left', 'voice', drive, 'mph', server(200, refusal))).toEqual({
      order: null,
      sentence: 'There is no lane to the left.',
    });
    expect((await understand('x', 'text', drive, 'mph', server(413, { error: 'too long' }))).sentence).toBe(
      'too long',
    );
    const gone = () => Promise.reject(new Error('offline'));
    expect((await understand('x', 'text', drive, 'mph', new ServerReader(gone))).sentence).toMatch(
      /server does not answer/,
    );
  });

  it('is asked for in the units of the page', async () => {
    const { drive } = await driving(1, 5);
    let asked: Record<string, unknown> = {};
    const reader = new ServerReader(async (_, init) => {
      asked = JSON.parse(String(init?.body));
      return new Response(JSON.stringify({ ...heard, sentence: '' }), { status: 200 });
    });
    await understand('cruise at 100', 'text', drive, 'km/h', reader);
    expect(asked).toMatchObject({ text: 'cruise at 100', units: 'km/h' });
  });

  it('is judged where the car is', async () => {
    const { drive } = await driving(1, 30);
    drive.give({
      order: { ...NOTHING_SAID, mode: 'cruise', target_speed_mps: 20 },
      text: '',
      source: 'text',
    });
    await decisions(drive, 60);
    const { mission, ...rest } = situation(drive) as { mission: Record<string, number> };
    expect(rest).toMatchObject({ lane: 2, lanes: 5 });
    // The cruise is done; “faster” still starts from its speed.
    expect(mission.mode).toBe('hold');
    expect(mission.target_speed_mph).toBeCloseTo(20 / 0.44704);
  });
});

describe('the mission log', () => {
  const record = { mode: 'cruise', ending: 'done' } as never;

  it('keeps what the server did not get, and sends it later', async () => {
    const store = memoryStore();
    let answer: () => Promise<Response> = () => Promise.reject(new Error('offline'));
    const post = new MissionPost(store, true, () => answer());
    await post.add(record);
    expect(post.pending()).toHaveLength(1);
    answer = answering(503, {});
    await post.deliver();
    expect(post.pending()).toHaveLength(1);
    answer = answering(201, {});
    await post.deliver();
    expect(post.pending()).toHaveLength(0);
  });

  it('drops what the server will never want, and is silent without one', async () => {
    const post = new MissionPost(memoryStore(), true, answering(400, {}));
    await post.add(record);
    expect(post.pending()).toHaveLength(0);
    const asked: string[] = [];
    const alone = new MissionPost(memoryStore(), false, async (url) => {
      asked.push(String(url));
      return new Response();
    });
    await alone.add(record);
    expect(asked).toEqual([]);
  });
});

describe('push-to-talk', () => {
  class Listener {
    onresult: ((event: unknown) => void) | null = null;
    onerror: ((event: unknown) => void) | null = null;
    onend: (() => void) | null = null;
    static last: Listener;
    constructor() {
      Listener.last = this;
    }
    start(): void {}
    stop(): void {
      this.onresult?.({ results: [[{ transcript: 'move left' }]] });
      this.onend?.();
    }
  }
  const maker = Listener as unknown as RecognitionMaker;

  it('listens only after consent, which is remembered', () => {
    const store = memoryStore();
    const said: string[] = [];
    const states: boolean[] = [];
    const ear = () =>
      new Ear(
        store,
        maker,
        (text) => said.push(text),
        (on) => states.push(on),
      );
    const first = ear();
    first.start();
    expect(states).toEqual([]);
    first.consent();
    const second = ear();
    second.start();
    second.stop();
    expect([said, states]).toEqual([['move left'], [true, false]]);
  });

  it('says why it cannot listen', () => {
    const problems: (string | null)[] = [];
    expect(
      new Ear(
        memoryStore(),
        null,
        () => {},
        () => {},
      ).obstacle,
    ).toMatch(/no speech recognition/);
    const ear = new Ear(
      memoryStore(),
      maker,
      () => {},
      (_, problem) => problems.push(problem),
    );
    ear.consent();
    ear.start();
    Listener.last.onerror!({ error: 'not-allowed' });
    Listener.last.onend!();
    expect(problems).toEqual([null, 'The browser did not allow the microphone.']);
  });
});
