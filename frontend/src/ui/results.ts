/** What a race was: who won, every lap, and where time was lost to the rival. */

import type { Car } from '../physics/cars';
import { GATES, TICKS_PER_SECOND } from '../physics/numbers';
import { type Comparison, compareLaps, largestLoss, SAMPLES } from '../race/comparison';
import { bestFlyingLap, bestLap, type Lap, type Offence } from '../race/laps';
import { type Medal, medalOf } from '../race/medals';
import type { Race } from '../race/race';
import type { RaceCar } from '../race/race-car';
import { findTurns, placeName, type Turn } from '../race/turns';
import type { Point, TrackFile } from '../site/data';
import { css } from '../view/palette';
import { chart, lineMap } from './charts';
import { h } from './dom';
import { gap, lapTime } from './format';
import { copyLink } from './share';

export interface ResultActions {
  again(): void;
  menu(): void;
  board(): void;
  /** The race once more. */
  replay(): void;
  /** The address of a link to this race. */
  share(): Promise<string>;
}

/** The driver whose laps are looked at, and the one they are compared with. */
interface Pair {
  you: RaceCar;
  rival: RaceCar | null;
}

export function resultsScreen(race: Race, actions: ResultActions): HTMLElement {
  const track = race.fleet.track.file;
  const turns = findTurns(track);
  const pair = pairOf(race);
  const again = h('button', { class: 'primary', type: 'button', onclick: () => actions.again() }, 'Again');
  const screen = h(
    'main',
    { class: 'results', 'aria-label': 'Results' },
    h('header', {}, h('h2', { 'data-testid': 'headline' }, headline(race)), subline(race, track)),
    h(
      'div',
      { class: race.contact ? 'results-grid field' : 'results-grid' },
      h(
        'section',
        { class: 'panel', 'aria-label': 'Laps' },
        lapTable(race, pair, turns, track.length_u),
        board(),
      ),
      comparisonPanel(pair, turns, track, race.fleet.car),
    ),
    h(
      'footer',
      {},
      again,
      h('button', { type: 'button', onclick: () => actions.replay() }, 'Replay'),
      h('button', { type: 'button', onclick: () => actions.menu() }, 'Menu'),
      h('button', { type: 'button', onclick: () => actions.board() }, 'Lap board'),
      race.human && shareButton(race.human, actions),
    ),
  );
  return screen;
}

/** What was driven, to be sent to a friend. */
function shareButton(person: RaceCar, actions: ResultActions): HTMLElement {
  const lap = bestLap(person.laps, true);
  const label = lap ? `Share: beat my ${lapTime(lap.ticks)}` : 'Share this race';
  const button = h('button', { type: 'button', 'data-testid': 'share' }, label);
  button.addEventListener('click', () => void copyLink(button, actions.share()));
  return button;
}

function board(): HTMLElement {
  return h('p', { class: 'delivery', role: 'status', 'data-testid': 'delivery' });
}

function pairOf(race: Race): Pair {
  const standings = race.standings();
  const you = race.human ?? standings[0]!;
  return { you, rival: standings.find((car) => car !== you) ?? null };
}

function headline(race: Race): string {
  const [first, second] = race.standings();
  if (race.targetLaps === 0) return 'Free driving';
  const place = race.contact && race.human ? race.standings().indexOf(race.human) : 0;
  if (place > 0) return `You came ${ordinal(place + 1)} of ${race.cars.length}`;
  if (!second) return race.human ? 'Finished' : `${first!.entrant.name} finished`;
  const winner = first === race.human ? 'You win' : `${first!.entrant.name} wins`;
  if (first!.finishTick === null || second.finishTick === null) return winner;
  const ahead = second.finishTick - first!.finishTick;
  return ahead === 0 ? winner : `${winner} by ${(ahead / TICKS_PER_SECOND).toFixed(2)} s`;
}

function subline(race: Race, track: TrackFile): HTMLElement {
  const total = race.human?.finishTick ?? null;
  const flying = bestFlyingLap(race.human?.laps ?? [])?.ticks ?? null;
  const { car } = race.fleet;
  const medal: Medal | null = medalOf(flying, track.references[car.id]?.ticks ?? null);
  const laps =
    race.targetLaps === 0 ? 'free' : `${race.targetLaps} ${race.targetLaps === 1 ? 'lap' : 'laps'}`;
  return h(
    'p',
    { class: 'subline' },
    `${track.name} · ${car.name} · ${laps}`,
    total !== null && ` · ${lapTime(total)}`,
    race.human?.gaveUp && ' · did not finish in time',
    medal && h('span', { class: `medal ${medal}`, role: 'img', 'aria-label': `${medal} medal` }),
  );
}

function lapTable(race: Race, { you, rival }: Pair, turns: Turn[], length: number): HTMLElement {
  if (race.cars.length > 2 || race.contact) return fieldTable(race, turns, length);
  const body = h('tbody');
  const count = Math.max(you.laps.length, rival?.laps.length ?? 0);
  const best = bestLap(you.laps, true);
  for (let i = 0; i < count; i++) {
    const [mine, theirs] = [you.laps[i], rival?.laps[i]];
    body.append(
      h(
        'tr',
        {},
        h('td', {}, String(i + 1)),
        lapCell(mine, mine === best && mine !== undefined, turns, length),
        rival && lapCell(theirs, false, turns, length),
        rival && h('td', { class: 'gap' }, splitGap(you, rival, (i + 1) * GATES - 1)),
      ),
    );
  }
  if (count === 0) body.append(h('tr', {}, h('td', { colspan: 4 }, 'No lap was finished.')));
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Lap'),
    carHead(you),
    rival && carHead(rival),
    rival && h('th', { scope: 'col' }, 'Gap'),
  );
  return h('table', { 'data-testid': 'laps' }, h('thead', {}, head), body);
}

function carHead(car: RaceCar): HTMLElement {
  const head = h('th', { scope: 'col' }, h('i', { class: 'dot' }), car.entrant.name);
  head.style.setProperty('--colour', css(car.entrant.colour));
  return head;
}

function ordinal(place: number): string {
  return `${place}${['st', 'nd', 'rd'][place - 1] ?? 'th'}`;
}

/** How far somebody came who was still on the way: the time to the winner where both passed the same gate last. */
function totalOf(race: Race, car: RaceCar): string {
  if (car.finishTick !== null) return lapTime(car.finishTick);
  if (race.targetLaps === 0) return '–';
  const behind = race.contact && !car.gaveUp ? race.gap(car, race.standings()[0]!) : null;
  return behind === null ? 'DNF' : gap(behind, 2);
}

function bestCell(lap: Lap | null): HTMLElement {
  return h('td', {}, lap && !lap.clean ? h('s', {}, lapTime(lap.ticks)) : lapTime(lap?.ticks));
}

/** What a race with contact says of a car beside its laps: from which slot, passes, contacts and faults. */
function contactCells({ contact }: Race, { number }: RaceCar): HTMLElement[] {
  if (!contact) return [];
  const { slot, overtakes, contacts, faults } = contact.contenders;
  return [slot![number]! + 1, overtakes![number]!, contacts![number]!, faults![number]!].map((count) =>
    h('td', {}, String(count)),
  );
}

/** With many cars: one row each. */
function fieldTable(race: Race, turns: Turn[], length: number): HTMLElement {
  const rows = race.standings().map((car, rank) => {
    const best = bestLap(car.laps, true) ?? bestLap(car.laps, false);
    return h(
      'tr',
      {},
      h('td', {}, String(rank + 1)),
      carHead(car),
      !race.contact && h('td', {}, String(car.laps.length)),
      race.contact ? bestCell(best) : lapCell(best ?? undefined, false, turns, length),
      h('td', {}, totalOf(race, car)),
      ...contactCells(race, car),
    );
  });
  const names = race.contact
    ? ['', 'Driver', 'Best', 'Total', 'Slot', 'Passes', 'Contacts', 'Faults']
    : ['', 'Driver', 'Laps', 'Best', 'Total'];
  const head = names.map((name) => h('th', { scope: 'col' }, name));
  return h('table', { 'data-testid': 'laps' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows));
}

function lapCell(lap: Lap | undefined, best: boolean, turns: Turn[], length: number): HTMLElement {
  if (!lap) return h('td', {}, '–');
  if (lap.clean) return h('td', { class: best ? 'best' : '' }, lapTime(lap.ticks));
  return h(
    'td',
    {},
    h('s', {}, lapTime(lap.ticks)),
    h('small', { class: 'cut' }, offenceText(lap.offence, turns, length)),
  );
}

export function offenceText(offence: Offence | null, turns: Turn[], length: number): string {
  if (!offence) return 'not clean';
  const what = { road: 'off the road', wall: 'wall', respawn: 'put back' }[offence.kind];
  return `${what}, ${placeName(turns, offence.arc, length)}`;
}

function splitGap(you: RaceCar, rival: RaceCar, gate: number): string {
  const [mine, theirs] = [you.splits[gate], rival.splits[gate]];
  return mine === undefined || theirs === undefined ? '–' : gap(mine - theirs, 2);
}

/** Which lap of the rival to hold against yours: a standing lap against a standing one. */
export function comparableLaps(you: Lap[], rival: Lap[]): [Lap, Lap] | null {
  const withTrace = (laps: Lap[]) => laps.filter((lap) => lap.trace.ticks > 0);
  const mine = bestLap(withTrace(you), true) ?? bestLap(withTrace(you), false);
  if (!mine) return null;
  const alike = withTrace(rival).filter((lap) => (lap.number === 1) === (mine.number === 1));
  const theirs = bestLap(alike, true) ?? bestLap(alike, false) ?? bestLap(withTrace(rival), false);
  return theirs ? [mine, theirs] : null;
}

function comparisonPanel(
  { you, rival }: Pair,
  turns: Turn[],
  track: TrackFile,
  car: Car,
): HTMLElement | null {
  const laps = rival && comparableLaps(you.laps, rival.laps);
  if (!rival || !laps) return null;
  const [mine, theirs] = laps;
  const comparison = compareLaps(mine, theirs, turns, track.length_u);
  const map = lineMap(track, [
    { label: rival.entrant.name, className: 'theirs', points: line(theirs) },
    { label: you.entrant.name, className: 'yours', points: line(mine) },
  ]);
  const whose = you.entrant.kind === 'human' ? 'Your lap' : `${you.entrant.name}: lap`;
  const titles = `${whose} ${mine.number} (${lapTime(mine.ticks)}) against lap ${theirs.number} of ${rival.entrant.name} (${lapTime(theirs.ticks)})`;
  const panel = h(
    'section',
    { class: 'panel comparison', 'aria-label': 'Comparison' },
    h(
      'h3',
      { 'data-testid': 'loss' },
      largestLoss(comparison.losses, you.entrant.kind === 'human' ? 'You' : you.entrant.name),
    ),
    h('p', { class: 'muted' }, titles),
    turnChips(comparison, track, map.zoom),
    h(
      'div',
      { class: 'charts' },
      map.root,
      speedChart(comparison, turns, track, car),
      timeChart(comparison, turns, track),
    ),
  );
  panel.style.setProperty('--yours', css(you.entrant.colour));
  panel.style.setProperty('--theirs', css(rival.entrant.colour));
  return panel;
}

function line(lap: Lap): Point[] {
  return lap.trace.x.map((x, i): Point => [x, lap.trace.y[i]!]);
}

/** One button per turn with what it cost; it shows the lines there. */
function turnChips(
  comparison: Comparison,
  track: TrackFile,
  zoom: (place: Point | null) => void,
): HTMLElement {
  const row = h('div', { class: 'turns', role: 'group', 'aria-label': 'Turns' });
  const { centre } = track.lines;
  const show = (button: HTMLElement, place: Point | null) => {
    for (const other of row.children) other.setAttribute('aria-pressed', String(other === button));
    zoom(place);
  };
  const chip = (text: string, kind: string, place: Point | null, pressed = false) => {
    const button = h(
      'button',
      { type: 'button', class: `turn ${kind}`, 'aria-pressed': String(pressed) },
      text,
    );
    button.addEventListener('click', () => show(button, place));
    row.append(button);
  };
  chip('Whole lap', '', null, true);
  for (const { turn, ticks } of comparison.losses) {
    const place = centre[Math.floor((turn.apex / track.length_u) * centre.length) % centre.length]!;
    const kind = ticks >= 0.5 ? 'lost' : ticks <= -0.5 ? 'won' : '';
    chip(`T${turn.number} ${gap(ticks, 2)}`, kind, place);
  }
  return row;
}

function marksOf(turns: Turn[]): { at: number; name: string }[] {
  return turns.map((turn) => ({ at: turn.apex, name: `T${turn.number}` }));
}

function over(values: Float64Array, length: number, scale = 1): Point[] {
  return Array.from(values, (value, i): Point => [(i * length) / SAMPLES, value * scale]);
}

function speedChart(
  { yours, theirs }: Comparison,
  turns: Turn[],
  track: TrackFile,
  { speedUnit, speedFactor }: Car,
): SVGSVGElement {
  return chart({
    label: 'Speed over distance',
    unit: `speed, ${speedUnit}`,
    marks: marksOf(turns),
    series: [
      { label: 'rival', className: 'theirs', points: over(theirs.speed, track.length_u, speedFactor) },
      { label: 'you', className: 'yours', points: over(yours.speed, track.length_u, speedFactor) },
    ],
  });
}

function timeChart({ behind }: Comparison, turns: Turn[], track: TrackFile): SVGSVGElement {
  return chart({
    label: 'Time behind over distance',
    unit: 'behind, s',
    marks: marksOf(turns),
    zeroLine: true,
    format: (value) => value.toFixed(2),
    series: [
      { label: 'behind', className: 'behind', points: over(behind, track.length_u, 1 / TICKS_PER_SECOND) },
    ],
  });
}
