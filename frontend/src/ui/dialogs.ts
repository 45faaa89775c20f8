/** Pause, settings and the lap board: dialogs that keep the keyboard to themselves. */
import { CLASSIC } from '../physics/cars';
import { type BoardLap, eventKey } from '../race/board';
import type { Catalogue } from '../race/catalogue';
import type { CameraChoice, Light, Settings } from '../site/settings';
import { choiceRow, h, toggle } from './dom';
import { lapTime } from './format';
import { copyLink } from './share';

/** Open a modal dialog; it is removed when it closes. */
export function openDialog(
  className: string,
  title: string,
  onClose: () => void,
  ...content: (Node | null)[]
): HTMLDialogElement {
  const dialog = h('dialog', { class: `dialog ${className}`, 'aria-label': title }, h('h2', {}, title));
  for (const part of content) if (part) dialog.append(part);
  dialog.addEventListener('close', () => {
    dialog.remove();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export interface PauseActions {
  resume(): void;
  restart(): void;
  finish: (() => void) | null;
  settings(): void;
  quit(): void;
}

export function pauseDialog(actions: PauseActions): HTMLDialogElement {
  const button = (label: string, press: () => void, kind = '') =>
    h('button', { type: 'button', class: kind, onclick: press }, label);
  return openDialog(
    'pause',
    'Paused',
    () => actions.resume(),
    h(
      'div',
      { class: 'stack' },
      button('Resume', actions.resume, 'primary'),
      button('Restart', actions.restart),
      actions.finish && button('End and see results', actions.finish),
      button('Settings', actions.settings),
      button('Quit to menu', actions.quit),
    ),
    h(
      'p',
      { class: 'keys' },
      'W A S D or arrows drive · R back to the road, again restarts · Esc pause · M mute · F fullscreen · gamepad: stick and triggers',
    ),
  );
}

export function settingsDialog(
  settings: Settings,
  changed: () => void,
  closed: () => void,
): HTMLDialogElement {
  const set = (part: Partial<Settings>) => {
    Object.assign(settings, part);
    changed();
  };
  const name = h('input', {
    type: 'text',
    maxlength: 24,
    value: settings.name,
    'aria-label': 'Name on the lap board',
    autocomplete: 'nickname',
  });
  name.addEventListener('input', () => set({ name: name.value }));
  const volume = h('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 0.05,
    value: settings.volume,
    'aria-label': 'Volume',
  });
  volume.addEventListener('input', () => set({ volume: Number(volume.value) }));
  const sensitivity = h('input', {
    type: 'range',
    min: 0.5,
    max: 2,
    step: 0.1,
    value: settings.keySensitivity,
    'aria-label': 'How fast keys steer',
  });
  sensitivity.addEventListener('input', () => set({ keySensitivity: Number(sensitivity.value) }));
  const dialog = openDialog(
    'settings',
    'Settings',
    closed,
    h(
      'div',
      { class: 'settings-grid' },
      h('label', { class: 'field' }, h('span', {}, 'Name on the board'), name),
      h('label', { class: 'field' }, h('span', {}, 'Volume'), volume),
      toggle('Mute', settings.muted, (muted) => set({ muted })),
      h('label', { class: 'field' }, h('span', {}, 'Steering by keys: gentle to quick'), sensitivity),
      toggle('Steering help: follow the road while no key steers', settings.steeringHelp, (steeringHelp) =>
        set({ steeringHelp }),
      ),
      toggle('Cars with grip: traction control', settings.tractionControl, (tractionControl) =>
        set({ tractionControl }),
      ),
      toggle('Cars with grip: anti-lock brakes', settings.antiLock, (antiLock) => set({ antiLock })),
      toggle('Ghost of the reference lap and where it brakes', settings.showGhost, (showGhost) =>
        set({ showGhost }),
      ),
      choiceRow(
        'Camera',
        [
          { value: 'auto', label: 'Auto', title: 'Turns with the car where the screen stands upright' },
          { value: 'north', label: 'Fixed' },
          { value: 'turn', label: 'Turns with the car' },
        ],
        settings.camera,
        (camera: CameraChoice) => set({ camera }),
      ),
      choiceRow(
        'Light',
        [
          { value: 'day', label: 'Day' },
          { value: 'night', label: 'Night' },
        ],
        settings.light,
        (light: Light) => set({ light }),
      ),
      toggle('Racing line', settings.showLine, (showLine) => set({ showLine })),
      toggle(
        'What the driver sees and expects: rays, road ahead, where it will be in two seconds',
        settings.showRays,
        (showRays) => set({ showRays }),
      ),
      toggle('Your inputs', settings.showInputs, (showInputs) => set({ showInputs })),
      toggle('The AI’s inputs', settings.showRivalInputs, (showRivalInputs) => set({ showRivalInputs })),
      toggle('Less motion', settings.reduceMotion, (reduceMotion) => set({ reduceMotion })),
    ),
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Done'),
    ),
  );
  return dialog;
}

export interface BoardActions {
  load(track: string): Promise<BoardLap[]>;
  race(lap: BoardLap): void;
  watch(lap: BoardLap): void;
  /** The address of a link to a lap. */
  link(lap: BoardLap): Promise<string>;
}

export function boardDialog(
  catalogue: Catalogue,
  { track, car }: Settings,
  actions: BoardActions,
): HTMLDialogElement {
  const list = h('div', { class: 'board-list', 'data-testid': 'board' });
  const show = async (id: string) => {
    list.replaceChildren(h('p', { class: 'muted' }, 'Loading…'));
    const laps = await actions.load(eventKey(id, car));
    list.replaceChildren(laps.length > 0 ? boardTable(laps, dialog, actions) : emptyBoard());
  };
  const dialog = openDialog(
    'board',
    'Lap board',
    () => {},
    choiceRow(
      'Track',
      catalogue.tracksFor(car).map(({ id, name }) => ({ value: id, label: name })),
      track,
      (id) => void show(id),
    ),
    list,
    h(
      'p',
      { class: 'muted' },
      'Clean laps only: the car’s centre never off the road, no wall touched. Every lap can be watched, and raced as a ghost.',
      car === CLASSIC ? null : ` Laps of the ${catalogue.car(car).name} are kept in this browser.`,
    ),
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Done'),
    ),
  );
  void show(track);
  return dialog;
}

function linkButton(lap: BoardLap, actions: BoardActions): HTMLElement {
  const button = h(
    'button',
    { type: 'button', 'aria-label': `Copy a link to the lap of ${lap.name}` },
    'Link',
  );
  button.addEventListener('click', () => void copyLink(button, actions.link(lap)));
  return button;
}

function emptyBoard(): HTMLElement {
  return h('p', { class: 'muted' }, 'No clean lap yet. The first one is yours.');
}

function boardTable(laps: BoardLap[], dialog: HTMLDialogElement, actions: BoardActions): HTMLElement {
  const leave = (then: () => void) => () => {
    dialog.close();
    then();
  };
  const rows = laps.slice(0, 50).map((lap, rank) =>
    h(
      'tr',
      {},
      h('td', {}, String(rank + 1)),
      h('td', { class: 'name' }, lap.driven_by === 'machine' ? `${lap.name} (machine)` : lap.name),
      h('td', { class: rank === 0 ? 'best' : '' }, lapTime(lap.ticks)),
      h('td', { class: 'muted' }, lap.lap === 1 ? 'standing' : 'flying'),
      h(
        'td',
        { class: 'actions' },
        h(
          'button',
          {
            type: 'button',
            onclick: leave(() => actions.watch(lap)),
            'aria-label': `Watch the lap of ${lap.name}`,
          },
          'Watch',
        ),
        h(
          'button',
          {
            type: 'button',
            onclick: leave(() => actions.race(lap)),
            'aria-label': `Race the ghost of ${lap.name}`,
          },
          'Race',
        ),
        linkButton(lap, actions),
      ),
    ),
  );
  return h('table', {}, h('tbody', {}, ...rows));
}
