import { describe, expect, it } from 'vitest';
import type { Car } from '../../src/physics/cars';
import { Catalogue } from '../../src/race/catalogue';
import { medalOf, nextMedal } from '../../src/race/medals';
import type { PolicyEntry, RunEntry, Site, TrackSummary } from '../../src/site/data';
import { bestSoFar } from '../../src/ui/learn-panel';

const track = (id: string) =>
  ({ id, name: id, cars: ['classic'], reference_ticks: {} }) as unknown as TrackSummary;
const circuit = { ...track('quarry'), cars: ['gt'], reference_ticks: { gt: 3772 } };
const cars = ['classic', 'gt'].map((id) => ({ id, name: id.toUpperCase() })) as Car[];
const kernel = {
  cars,
  car: (id: string) => cars.find((car) => car.id === id)!,
  fingerprint: (id: string) => (id === 'classic' ? 'physics' : 'grip'),
};
const choices = { track: 'track-01', car: 'classic', run: '', policy: '' };
const policy = (part: Partial<PolicyEntry>): PolicyEntry => ({
  key: 'k',
  kind: 'best',
  run: 'r',
  name: 'driver',
  world: 'racer',
  step: 1000,
  layout: 'classic',
  tracks: ['track-01'],
  cars: ['classic'],
  assists: { traction_control: false, anti_lock: false },
  fingerprint: 'physics',
  bytes: 1,
  laps: {},
  score: [],
  trained_s: null,
  problem: null,
  ...part,
});
const run = (key: string): RunEntry => ({
  key,
  name: key,
  world: 'racer',
  state: 'finished',
  step: 1,
  steps: 1,
  algorithm: 'ppo',
  tracks: ['track-01'],
  layout: 'classic',
  cars: ['classic'],
});

function catalogue(policies: PolicyEntry[], startRun: string | null = null): Catalogue {
  const site: Site = { format: 1, hotlap: '0', server: true, start: { run: startRun, track: null } };
  const runs = [...new Set(policies.map((entry) => entry.run))].flatMap((key) => (key ? [run(key)] : []));
  return new Catalogue(site, kernel, [track('track-01'), track('track-02'), circuit], {
    runs,
    policies,
    levels: [{ late_ticks: 2, throttle: 0.5 }],
  });
}

describe('a car', () => {
  it('drives its own tracks, and meets those who learned to drive it', () => {
    const grip = policy({ key: 'grip', cars: ['gt'], layout: 'grip', fingerprint: 'grip' });
    const all = catalogue([policy({ key: 'classic' }), grip]);
    expect(all.tracksFor('gt').map(({ id }) => id)).toEqual(['quarry']);
    expect(all.track('track-01', 'gt').id).toBe('quarry');
    expect(all.driver('quarry', '', 'gt')!.key).toBe('grip');
    expect(all.driver('track-01', 'grip')!.key).toBe('classic');
    expect(all.whyNoDriver('quarry', 'gt')).toBeNull();
  });

  it('without a driver has the ghost of its reference lap', () => {
    const all = catalogue([policy({ key: 'classic' })]);
    expect(all.whyNoDriver('quarry', 'gt')).toBe('Nobody has learned to drive the GT yet.');
    expect([all.ghostOf('quarry', 'gt'), all.ghostOf('track-01', 'classic')]).toEqual([true, false]);
  });
});

describe('the driver to race', () => {
  it('is the fastest that learned the track', () => {
    const drivers = [
      policy({ key: 'slow', laps: { 'track-01': 8 } }),
      policy({ key: 'fast', laps: { 'track-01': 7 } }),
      policy({ key: 'stranger', tracks: ['track-02'], laps: {} }),
    ];
    expect(catalogue(drivers).driver('track-01', '')!.key).toBe('fast');
    expect(catalogue(drivers).driver('track-02', '')!.key).toBe('stranger');
  });

  it('is the chosen one, or that of the run the server was started with', () => {
    const drivers = [policy({ key: 'a', laps: { 'track-01': 7 } }), policy({ key: 'b', run: 'mine' })];
    expect(catalogue(drivers).driver('track-01', 'b')!.key).toBe('b');
    expect(catalogue(drivers, 'mine').driver('track-01', '')!.key).toBe('b');
  });

  it('prefers one made for any track to one that knows another track by heart', () => {
    const drivers = [policy({ key: 'other' }), policy({ key: 'any', layout: 'full' })];
    expect(catalogue(drivers).driver('track-02', '')!.key).toBe('any');
  });

  it('is never one of another physics, and the reason is told', () => {
    const odd = catalogue([policy({ key: 'old', fingerprint: 'elsewhere' })]);
    expect(odd.driver('track-01', 'old')).toBeNull();
    expect(odd.whyNoDriver('track-01')).toMatch(/another physics/);
    expect(catalogue([policy({ problem: 'broken file' })]).whyNoDriver('track-01')).toBe('broken file');
    expect(catalogue([]).whyNoDriver('track-01')).toMatch(/hotlap train/);
  });
});

describe('the run to watch', () => {
  it('is the one the server was started with, where it is of this world', () => {
    expect(catalogue([policy({ run: 'mine' })], 'mine').startRun).toBe('mine');
    expect(catalogue([policy({ run: 'mine' })], 'on-the-highway').startRun).toBeNull();
    expect(catalogue([policy({ run: null })]).startRun).toBeNull();
  });
});

describe('opponents by strength', () => {
  const young = [1000, 2000].map((step) => policy({ key: `c${step}`, kind: 'checkpoint', step, laps: {} }));
  const grown = [
    policy({ key: 'best', laps: { 'track-01': 7 } }),
    policy({ key: 'slow', run: null, kind: 'bundled', laps: { 'track-01': 9 } }),
  ];
  const all = catalogue([...grown, ...young]);

  it('begin with the fastest driver and end with the youngest self', () => {
    expect(all.racersFor('track-01').map(({ key }) => key)).toEqual(['best', 'slow', 'c2000', 'c1000']);
  });

  it('have levels by their numbers', () => {
    expect(all.level(1)).toEqual({ late_ticks: 2, throttle: 0.5 });
    expect(all.level(2)).toBeNull();
    expect(all.level(null)).toBeNull();
  });

  it('can be chosen at any age', () => {
    expect(all.driver('track-01', 'c2000')!.key).toBe('c2000');
    expect(all.driver('track-01', '')!.key).toBe('best');
  });
});

describe('younger selves', () => {
  const checkpoints = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      policy({ key: `c${i}`, kind: 'checkpoint', step: (count - i) * 1000 }),
    );

  it('are at most eight, from the first to the newest, oldest first', () => {
    const ages = catalogue(checkpoints(30)).ages('r');
    expect(ages).toHaveLength(8);
    expect(ages[0]!.step).toBe(1000);
    expect(ages.at(-1)!.step).toBe(30_000);
    expect(ages.map(({ step }) => step)).toEqual([...ages.map(({ step }) => step)].sort((a, b) => a - b));
    expect(catalogue(checkpoints(3)).ages('r')).toHaveLength(3);
  });

  it('need a run with two checkpoints that fits the track', () => {
    expect(catalogue(checkpoints(2)).runWithAges(choices)!.key).toBe('r');
    expect(catalogue(checkpoints(1)).runWithAges(choices)).toBeNull();
    expect(catalogue(checkpoints(2)).runWithAges({ ...choices, track: 'track-02' })).toBeNull();
  });

  it('are of the run that was chosen, before that of the driver', () => {
    const two = catalogue([
      ...checkpoints(2),
      ...checkpoints(2).map((one) => ({ ...one, key: `other-${one.key}`, run: 'other' })),
    ]);
    expect(two.runWithAges({ ...choices, run: 'other' })!.key).toBe('other');
    expect(two.runWithAges({ ...choices, policy: two.list.policies[0]!.key })!.key).toBe('r');
    expect(two.runWithAges({ ...choices, run: 'gone' })!.key).toBe('r');
  });
});

describe('the training to watch', () => {
  it('is the chosen run, else the one in training, else that the server was started with', () => {
    const all = catalogue([policy({ run: 'done' }), policy({ run: 'live' })], 'done');
    expect(all.runToWatch('')).toBe('done');
    all.list.runs.find(({ key }) => key === 'live')!.state = 'training';
    expect(all.runToWatch('')).toBe('live');
    expect(all.runToWatch('done')).toBe('done');
    expect(catalogue([]).runToWatch('gone')).toBeNull();
  });

  it('has a curve of best laps that only falls', () => {
    const laps: [number, number][] = [
      [0, 12],
      [1, 9],
      [2, 11],
      [3, 8],
    ];
    expect(bestSoFar(laps).map(([, lap]) => lap)).toEqual([12, 9, 9, 8]);
  });
});

describe('medals', () => {
  it('are given by how near a lap comes to the reference, and the next one is named', () => {
    expect([432, 433, 480, 481, 580, 581].map((ticks) => medalOf(ticks, 400))).toEqual([
      'gold',
      'silver',
      'silver',
      'bronze',
      'bronze',
      null,
    ]);
    expect(nextMedal(null, 400)).toEqual({ name: 'bronze', ticks: 580 });
    expect(nextMedal(500, 400)).toEqual({ name: 'silver', ticks: 480 });
    expect(nextMedal(432, 400)).toBeNull();
    expect(medalOf(1, null)).toBeNull();
  });
});

describe('the field of a race with contact', () => {
  const racer = policy({
    key: 'racer',
    world: 'race',
    layout: 'race-classic',
    fingerprint: 'other',
    run: 'races',
  });
  const known = policy({ key: 'known', laps: { 'track-01': 7 } });
  const strange = policy({ key: 'strange', tracks: ['track-02'] });
  const everywhere = policy({ key: 'everywhere', layout: 'full', tracks: ['track-02'] });
  const all = catalogue([strange, known, everywhere, racer]);
  const keys = (entries: PolicyEntry[]) => entries.map(({ key }) => key);

  it('is those who learned to race, then those who can drive the road, and nobody who is lost there', () => {
    expect(keys(all.racersFor('track-01'))).toEqual(['racer', 'known', 'everywhere']);
    expect(keys(all.driversFor('track-01'))).not.toContain('racer');
  });

  it('has everybody in turn, or the chosen driver in every car', () => {
    expect(keys(all.field(choices, 5))).toEqual(['racer', 'known', 'everywhere', 'racer', 'known']);
    expect(keys(all.field(choices, 2))).toEqual(['racer', 'known']);
    expect(keys(all.field({ ...choices, policy: 'known' }, 2))).toEqual(['known', 'known']);
    expect(catalogue([strange]).field(choices, 3)).toEqual([]);
  });

  it('begins with the run in races that the server was started with', () => {
    expect(catalogue([known, racer], 'races').startRace()).toEqual({ mode: 'race', policy: 'racer' });
    expect(catalogue([known, racer], 'r').startRace()).toEqual({});
  });
});
