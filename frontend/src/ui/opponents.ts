/** Whom to race: the driver or the field, how strong they are, and of which run. */
import type { Catalogue } from '../race/catalogue';
import { isRaceLayout, type PolicyEntry, type RunEntry } from '../site/data';
import {
  FOLLOWS,
  FULL_STRENGTH,
  MIXED_LEVELS,
  MOST_OPPONENTS,
  ORDERS,
  type Settings,
  type StartOrder,
} from '../site/settings';
import { choiceRow, h, toggle } from './dom';
import { duration, steps } from './format';

/** What is chosen from, and what is told of a choice. */
export interface Chooser {
  settings: Settings;
  catalogue: Catalogue;
  change(part: Partial<Settings>): void;
}

const ORDER_TEXT: Record<StartOrder, string> = { last: 'Last', first: 'First', drawn: 'Drawn' };

/** How many race, from where the player starts, who they are and how strong. */
export function gridChoices(chooser: Chooser): HTMLElement[] {
  const { settings, catalogue, change } = chooser;
  const { opponents, order, joinIn, track, car, policy } = settings;
  const counts = Array.from({ length: MOST_OPPONENTS }, (_, i) => ({ value: i + 1, label: String(i + 1) }));
  const orders = ORDERS.map((value) => ({ value, label: ORDER_TEXT[value] }));
  const everybody = h('option', { value: '' }, 'Everybody there is');
  const racers = catalogue.racersFor(track, car);
  const select = h('select', { 'aria-label': 'Field' }, everybody);
  select.append(...racers.map((entry) => option(entry.key, racerLabel(entry, track), entry.key === policy)));
  select.addEventListener('change', () => change({ policy: select.value }));
  return [
    choiceRow('Opponents', counts, opponents, (value) => change({ opponents: value })),
    ...levelChoice(chooser),
    choiceRow('Start', orders, order, (value) => change({ order: value })),
    h('label', { class: 'driver' }, h('span', {}, 'Field'), select),
    toggle('Drive along', joinIn, (value) => change({ joinIn: value })),
  ];
}

/** The driver to race or to watch, and in a race how strong it is. */
export function driverChoices(chooser: Chooser): HTMLElement[] {
  const { settings, catalogue, change } = chooser;
  const { track, policy, car, mode } = settings;
  const select = h('select', { 'aria-label': 'Driver' });
  const drivers = catalogue.driversFor(track, car);
  const chosen = catalogue.driver(track, policy, car);
  for (const entry of drivers) {
    const problem = catalogue.problem(entry);
    const made = option(entry.key, driverLabel(entry, track, problem), entry === chosen);
    made.disabled = problem !== null;
    select.append(made);
  }
  addByAge(select, chooser);
  if (drivers.length === 0) select.append(h('option', {}, 'none yet'));
  select.addEventListener('change', () => change({ policy: select.value }));
  const driver = h('label', { class: 'driver' }, h('span', {}, 'Driver'), select);
  return mode === 'versus' && chosen ? [...levelChoice(chooser), driver] : [driver];
}

/** A run to watch or to race the younger selves of. */
export function runChoice({ settings, change }: Chooser, runs: RunEntry[], usual: string): HTMLElement {
  const select = h('select', { 'aria-label': 'Run' }, h('option', { value: '' }, usual));
  for (const { key, name, state, step } of runs)
    select.append(h('option', { value: key }, `${name} · ${state} · ${steps(step)} steps`));
  select.value = runs.some(({ key }) => key === settings.run) ? settings.run : '';
  select.addEventListener('change', () => change({ run: select.value }));
  return h('label', { class: 'driver' }, h('span', {}, 'Run'), select);
}

/** How strong the machines are: a level, all levels at once, as they learned, or as strong as the player. */
function levelChoice({ settings, catalogue, change }: Chooser): HTMLElement[] {
  const { levels } = catalogue.list;
  if (levels.length === 0) return [];
  const { strength, mode } = settings;
  const choices = [
    { value: FOLLOWS, label: 'Yours', title: 'Up when you win, down when you end in the second half' },
    ...levels.map((_, place) => ({ value: place + 1, label: String(place + 1) })),
    { value: FULL_STRENGTH, label: 'Full', title: 'As they learned to drive' },
  ];
  if (mode === 'race') choices.push({ value: MIXED_LEVELS, label: 'Mixed', title: 'One of each level' });
  const chosen = mode !== 'race' && strength === MIXED_LEVELS ? levels.length : strength;
  return [choiceRow('Level', choices, chosen, (value) => change({ strength: value }))];
}

/** The same driver when it was younger. */
function addByAge(select: HTMLSelectElement, { settings, catalogue }: Chooser): void {
  const { track, car, policy } = settings;
  const ages = catalogue.youngerDrivers(track, car);
  if (ages.length === 0) return;
  const group = h('optgroup', { label: `By age: ${ages[0]!.name}` });
  const label = (entry: PolicyEntry, place: number) => ageLabel(entry, place, ages.length);
  group.append(...ages.map((entry, place) => option(entry.key, label(entry, place), entry.key === policy)));
  select.append(group);
}

function option(value: string, label: string, selected: boolean): HTMLOptionElement {
  const made = h('option', { value }, label);
  made.selected = selected;
  return made;
}

/** How old a driver is, by the clock of its training or else in steps, and what that is called. */
export function ageLabel({ step, trained_s }: PolicyEntry, place: number, count: number): string {
  const names = ['newborn', 'child', 'teenager', 'grown-up'];
  const age = trained_s === null ? '' : `${duration(trained_s)} old · `;
  return `${names[Math.floor((place / count) * names.length)]} · ${age}${steps(step)} steps`;
}

/** A driver of a race; most learned alone and do not see who is beside them. */
function racerLabel(entry: PolicyEntry, track: string): string {
  const sees = isRaceLayout(entry.layout) ? 'sees the others' : 'drives its line';
  return `${driverLabel(entry, track, null)} · ${sees}`;
}

function driverLabel(entry: PolicyEntry, track: string, problem: string | null): string {
  if (problem) return `${entry.name}: ${problem}`;
  const lap = entry.laps[track];
  const pace = lap === undefined ? '' : ` · ${lap.toFixed(3)} s`;
  const strange = !entry.tracks.includes(track) ? ' · never saw this track' : '';
  return `${entry.name} · ${steps(entry.step)} steps${pace}${strange}`;
}
