/** The log of missions: what failed first, then the newest; of this visit where there is no server. */
import { MOST_LISTED } from '../physics/numbers';
import { isRecord } from '../site/storage';
import { openDialog } from '../ui/dialogs';
import { h } from '../ui/dom';
import type { MissionRecord } from './drive';
import { speedText, type Units } from './units';

type Shown = Pick<
  MissionRecord,
  'mode' | 'ending' | 'reason' | 'text' | 'duration_s' | 'driver' | 'target_speed_mps'
>;
const FAILED = ['crashed', 'timed_out', 'refused'];
const ENDINGS: Record<string, string> = {
  done: 'done',
  crashed: 'crashed',
  timed_out: 'not done in time',
  cancelled: 'replaced or called off',
};

/** What the log says of an ending: what was accepted and failed later was not refused. */
function endingOf({ ending, duration_s }: Shown): string {
  if (ending === 'refused') return duration_s > 0 ? 'not done' : 'refused';
  return ENDINGS[ending] ?? ending;
}

/** Failures first, each kind as it came: newest first. */
export function failuresFirst<T extends Pick<MissionRecord, 'ending'>>(missions: T[]): T[] {
  const failed = (mission: T) => FAILED.includes(mission.ending);
  return [...missions.filter(failed), ...missions.filter((mission) => !failed(mission))];
}

export async function missionsDialog(
  driven: MissionRecord[],
  hasServer: boolean,
  units: Units,
): Promise<HTMLDialogElement> {
  const missions = failuresFirst<Shown>((hasServer && (await kept())) || driven);
  const failures = missions.filter(({ ending }) => FAILED.includes(ending)).length;
  const dialog = openDialog(
    'board missions',
    'Missions',
    () => {},
    h(
      'p',
      { class: 'muted' },
      missions.length === 0
        ? 'No mission has ended yet.'
        : `${failures} of the last ${missions.length} failed; those come first.`,
    ),
    h('div', { class: 'board-list', 'data-testid': 'missions' }, table(missions, units)),
    h(
      'div',
      { class: 'row' },
      h('button', { type: 'button', class: 'primary', onclick: () => dialog.close() }, 'Done'),
    ),
  );
  return dialog;
}

function table(missions: Shown[], units: Units): HTMLElement {
  const rows = missions.map((mission) =>
    h(
      'tr',
      { class: FAILED.includes(mission.ending) ? 'failed' : '' },
      h('td', { class: 'name' }, mission.text || wordsOf(mission, units)),
      h('td', {}, endingOf(mission), mission.reason && h('small', {}, mission.reason)),
      h('td', {}, `${mission.duration_s.toFixed(1)} s`),
      h('td', { class: 'muted' }, mission.driver),
    ),
  );
  return h('table', {}, h('tbody', {}, ...rows));
}

function wordsOf({ mode, target_speed_mps }: Shown, units: Units): string {
  const at = target_speed_mps === null ? '' : ` at ${speedText(units, target_speed_mps)}`;
  return `${mode.replace('_', ' ')}${at}`;
}

/** The server's log, newest first; null when it does not answer. */
async function kept(): Promise<Shown[] | null> {
  try {
    const answer = await fetch(`api/missions?limit=${MOST_LISTED}`);
    const body: unknown = answer.ok ? await answer.json() : null;
    return isRecord(body) && Array.isArray(body.missions) ? body.missions : null;
  } catch {
    return null;
  }
}
