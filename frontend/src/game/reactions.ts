/** What the page does about what happens in a race: sound, sparks, messages, records. */
import { NO_ASSISTS } from '../physics/cars';
import type { Kernel } from '../physics/kernel';
import { type Board, eventKey, eventOf } from '../race/board';
import type { Fault, RaceEvent } from '../race/events';
import { bestFlyingLap, type Lap } from '../race/laps';
import { challengeLink, type RaceLink } from '../race/links';
import type { Race } from '../race/race';
import type { RaceCar } from '../race/race-car';
import { findTurns, type Turn } from '../race/turns';
import type { Settings } from '../site/settings';
import { isRecord, read, type TextStore, write } from '../site/storage';
import { lapTime } from '../ui/format';
import type { Hud } from '../ui/hud';
import { offenceText } from '../ui/results';
import type { Sound } from '../ui/sound';
import { COLOURS } from '../view/palette';
import type { Picture } from '../view/picture';

/** How a jolt compares with driving into a wall at a speed: for the eye and for the ear. */
const SPARKS_PER_JOLT = 3;
const SOUND_PER_JOLT = 6;

type Contact = Extract<RaceEvent, { type: 'contact' }>;

export interface Surroundings {
  hud: Hud;
  sound: Sound;
  board: Board;
  store: TextStore;
  settings: Settings;
  kernel: Kernel;
}

function eventOfRace({ fleet }: Race): string {
  return eventKey(fleet.track.file.id, fleet.car.id);
}

function contactText({ entrant }: RaceCar, other: string, fault: Fault): string {
  const [you, your] = entrant.kind === 'human' ? ['you', 'your'] : [entrant.name, `${entrant.name}’s`];
  if (fault === 'other') return `${other} ran into ${you}`;
  const whose = { own: `: ${your} fault`, both: ': both at fault', nobody: '' }[fault];
  return `Contact with ${other}${whose}`;
}

export class Reactions {
  picture: Picture | null = null;
  /** What became of the player's best lap, in words. */
  delivery = '';
  onDelivery: () => void = () => {};
  /** The player's best lap of this race, for others to beat. */
  challenge: RaceLink | null = null;
  private turns: Turn[] = [];

  constructor(private readonly around: Surroundings) {}

  begin(race: Race): void {
    this.delivery = '';
    this.challenge = null;
    this.turns = findTurns(race.fleet.track.file);
  }

  react(event: RaceEvent, race: Race, followed: RaceCar): void {
    const { sound } = this.around;
    const mine = 'car' in event && event.car === followed.number;
    if (event.type === 'beat') sound.beat(event.beat === 0);
    else if (event.type === 'hit') this.hit(event.car, event.speed, mine);
    else if (event.type === 'contact') this.contact(event, race, mine);
    else if (event.type === 'pass') this.pass(event, race, followed);
    else if (event.type === 'respawn' && mine && race.contact) this.around.hud.say('Back to the track');
    else if (event.type === 'retired') this.around.hud.say(`${race.cars[event.car]?.entrant.name} is out`);
    else if (event.type === 'gate' && mine) this.picture?.flash(event.gate, this.gateColour(race, followed));
    else if (event.type === 'lap' && mine) this.lapDone(race, followed, event.lap, event.best);
    else if (event.type === 'finish' && race.human && race.human.finishTick === null)
      this.finishedFirst(race, event.car);
    else if (event.type === 'over') this.over(race);
  }

  /** The player's fastest clean flying lap by track and car, in ticks: what medals are for. */
  flyingLaps(): Record<string, number> {
    const check = (value: unknown) =>
      isRecord(value) && Object.values(value).every((ticks) => typeof ticks === 'number')
        ? (value as Record<string, number>)
        : null;
    return read(this.around.store, 'flying-laps', check, {});
  }

  private hit(car: number, speed: number, mine: boolean): void {
    const pose = this.picture?.poses[car];
    if (pose && speed > 8) this.picture?.effects.sparks(pose.x, pose.y, speed);
    if (mine) this.around.sound.impact(speed);
  }

  /** Two cars touched: sparks for everybody; a jolt, a thud and whose fault it was for the one that is followed. */
  private contact({ car, other, jolt, fault }: Contact, race: Race, mine: boolean): void {
    const pose = this.picture?.poses[car];
    if (pose) this.picture?.effects.sparks(pose.x, pose.y, SPARKS_PER_JOLT * jolt);
    if (!mine) return;
    this.picture?.shake(jolt);
    this.around.sound.impact(SOUND_PER_JOLT * jolt);
    const [own, name] = [race.cars[car]!, race.cars[other]!.entrant.name];
    this.around.hud.say(contactText(own, name, fault), fault === 'own' || fault === 'both' ? 'bad' : 'plain');
  }

  private pass({ car, other }: { car: number; other: number }, race: Race, followed: RaceCar): void {
    const name = (number: number) => race.cars[number]?.entrant.name;
    if (car === followed.number) this.around.hud.say(`Past ${name(other)}`, 'good');
    else if (other === followed.number) this.around.hud.say(`${name(car)} is past`);
  }

  private gateColour(race: Race, car: RaceCar): number {
    const rival = race.standings().find((other) => other !== car);
    const behind = rival ? race.gap(car, rival) : null;
    if (behind === null) return COLOURS.edge;
    return behind <= 0 ? COLOURS.good : COLOURS.bad;
  }

  private lapDone(race: Race, car: RaceCar, lap: Lap, best: boolean): void {
    const { hud, sound } = this.around;
    sound.lap(best);
    const where = () => offenceText(lap.offence, this.turns, race.fleet.track.file.length_u);
    if (lap.clean)
      hud.say(`Lap ${lap.number}  ${lapTime(lap.ticks)}${best ? '  best' : ''}`, best ? 'best' : 'good');
    else hud.say(`Lap ${lap.number} does not count: ${where()}`, 'bad');
    // With a slipstream, or pushed, a lap is no record.
    if (car !== race.human || race.contact) return;
    this.keepFlyingLap(eventOfRace(race), car.laps);
    if (best) void this.submit(race, car, lap);
  }

  private finishedFirst(race: Race, car: number): void {
    const name = race.cars[car]?.entrant.name;
    this.around.hud.say(`${name} has finished. Take your time: the race waits for you.`);
  }

  private async submit(race: Race, car: RaceCar, lap: Lap): Promise<void> {
    const { board, settings, kernel } = this.around;
    const drive = car.tape.drive();
    if (!drive) return;
    const event = eventOfRace(race);
    if (!board.shares(event)) drive.assists = car.entrant.assists ?? NO_ASSISTS;
    const time = lapTime(lap.ticks);
    const shared = { name: settings.name, ticks: lap.ticks, lap: lap.number };
    this.challenge = challengeLink(shared, eventOf(event), null, drive);
    const result = await board.add({
      track: event,
      name: settings.name,
      ticks: lap.ticks,
      lap: lap.number,
      fingerprint: kernel.fingerprint(race.fleet.car.id),
      drive,
    });
    if (board.sentId) this.challenge = challengeLink(shared, eventOf(event), board.sentId, null);
    if (result === 'sent')
      this.delivery =
        board.rank === null
          ? `${time} is clean, but not among the fastest 100.`
          : `${time} is number ${board.rank} on the board.`;
    else if (result === 'refused') this.delivery = `The board did not take ${time}: ${board.refusal}`;
    else if (board.shares(event))
      this.delivery = `${time} is kept here and goes to the board when the server is back.`;
    else this.delivery = `${time} is on this browser’s board.`;
    this.onDelivery();
  }

  private over(race: Race): void {
    const { human, targetLaps } = race;
    if (!human || targetLaps === 0) return;
    if (race.standings()[0] === human) this.around.sound.victory();
    else this.around.sound.defeat();
  }

  private keepFlyingLap(track: string, laps: Lap[]): void {
    const lap = bestFlyingLap(laps);
    if (!lap) return;
    const best = this.flyingLaps();
    best[track] = Math.min(best[track] ?? Number.MAX_SAFE_INTEGER, lap.ticks);
    write(this.around.store, 'flying-laps', best);
  }
}
