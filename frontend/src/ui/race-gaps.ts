/** Who is ahead and who behind in a race with contact, and by how many seconds. */
import type { ContactFleet } from '../physics/contact-fleet';
import type { Race } from '../race/race';
import type { RaceCar } from '../race/race-car';
import { css } from '../view/palette';
import { h, setText } from './dom';

/** The kernel's gap to nobody is larger than any that is worth telling. */
const MOST_GAP_S = 99;

export class RaceGaps {
  readonly root: HTMLElement;
  private readonly ahead = gapRow('▲');
  private readonly behind = gapRow('▼');

  constructor() {
    this.root = h(
      'div',
      { class: 'hud-card hud-gaps', hidden: true, 'data-testid': 'gaps' },
      this.ahead.root,
      this.behind.root,
    );
  }

  update(race: Race, car: RaceCar): void {
    const { contact } = race;
    this.root.hidden = contact === null;
    if (!contact) return;
    const order = race.standings();
    const place = order.indexOf(car);
    this.ahead.show(order[place - 1], secondsOf(contact, 'gap_ahead_s', car));
    this.behind.show(order[place + 1], secondsOf(contact, 'gap_behind_s', car));
  }
}

function secondsOf({ facts }: ContactFleet, field: 'gap_ahead_s' | 'gap_behind_s', car: RaceCar): number {
  return facts[field]![car.number]!;
}

function gapRow(arrow: string) {
  const name = h('span', {});
  const value = h('b', {});
  const root = h('p', {}, h('i', { 'aria-hidden': 'true' }, arrow), name, value);
  const show = (other: RaceCar | undefined, seconds: number) => {
    root.style.visibility = other ? 'visible' : 'hidden';
    if (!other) return;
    root.style.setProperty('--colour', css(other.entrant.colour));
    setText(name, other.entrant.name);
    setText(value, seconds < MOST_GAP_S ? seconds.toFixed(2) : '–');
  };
  return { root, show };
}
