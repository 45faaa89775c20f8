/** A drive on the highway without a picture: who drives, what the mission is, how missions end. */
import { LONGEST_DRIVER, type ModeName, STILL_MPS } from '../physics/numbers';
import { reasonOf } from '../site/reasons';
import { between, type Moment, momentOf } from './picture-state';
import type { Action, Order, Road } from './road';

export type Ending = 'done' | 'refused' | 'timed_out' | 'cancelled' | 'crashed';

/** Who decides; what it cannot do it throws. */
export interface HighwayDriver {
  name: string;
  act(observation: Float64Array): Promise<[number, number, number]>;
}

/** A mission as it was given. */
export interface Given {
  order: Order;
  text: string;
  source: 'text' | 'voice' | 'script';
}

/** One that ended, as the mission log keeps it. */
export interface MissionRecord {
  mode: ModeName;
  ending: Ending;
  reason: string;
  duration_s: number;
  driver: string;
  text: string;
  source: Given['source'];
  time_s: number;
  target_lane: number | null;
  target_speed_mps: number | null;
  gap_s: number | null;
  direction: Order['direction'];
  return_lane: number | null;
  speed_error_mps: number | null;
  interventions: Record<string, number>;
}

export interface DriveListener {
  ended(record: MissionRecord): void;
  /** Another order, or another road, came before the end; what was asked for was not given up. */
  replaced(record: MissionRecord): void;
  /** The driver gave up; the expert has the wheel. */
  fellBack(reason: string): void;
  crashed(byEgo: boolean): void;
}

export const EXPERT = 'expert';

export class HighwayDrive {
  driver: HighwayDriver | null = null;
  /** Why the chosen driver does not drive, or null. */
  fallback: string | null = null;
  /** The rules the supervisor used in the last decision. */
  rules: string[] = [];
  private given: (Given & { time_s: number; counts: number[] }) | null = null;
  private before: Moment;
  private after: Moment;
  private episode = 0;

  constructor(
    readonly road: Road,
    private readonly listener: DriveListener,
  ) {
    this.before = this.after = momentOf(road);
  }

  begin(scene: number, vehicles: number): void {
    this.replace('Another road was chosen.');
    this.road.begin(scene, vehicles);
    this.episode += 1;
    this.rules = [];
    this.before = this.after = momentOf(this.road);
  }

  /** Put somebody at the wheel; null is the expert. */
  seat(driver: HighwayDriver | null): void {
    this.driver = driver;
    this.fallback = null;
  }

  /** The expert drives in place of somebody who cannot. */
  fallBack(reason: string): void {
    this.driver = null;
    this.fallback = reason;
    this.listener.fellBack(reason);
  }

  get driverName(): string {
    return this.driver?.name ?? EXPERT;
  }

  get crashed(): boolean {
    return this.road.value('roads', 'crashed') === 1;
  }

  get stands(): boolean {
    return this.road.value('vehicles', 'speed_mps') < STILL_MPS;
  }

  get time_s(): number {
    return this.road.value('roads', 'decision') * this.road.file.decision_s;
  }

  get mode(): ModeName {
    return this.road.file.modes[this.road.value('roads', 'mission_mode')]!;
  }

  /** The mission that is underway, if somebody gave one. */
  get mission(): Given | null {
    return this.given;
  }

  /** Seconds since the mission was given. */
  get missionTime_s(): number {
    return this.road.value('roads', 'mission_decisions') * this.road.file.decision_s;
  }

  /** Give a mission in place of the one there is; why it is refused, or null. */
  give(given: Given): string | null {
    const started = { ...given, time_s: this.time_s, counts: this.counts() };
    const reason = this.road.give(given.order);
    if (reason) {
      this.listener.ended(this.record(started, 'refused', reason, 0));
      return reason;
    }
    if (this.given && isGivenUp(this.given.order, given.order)) this.callOff();
    else this.replace('Something else was asked for.');
    this.given = started;
    return null;
  }

  /** Why an order would be refused now, or null. */
  obstacle(order: Order): string | null {
    return this.road.rehearse(order);
  }

  /** One decision, by the driver or, when it cannot, by the expert. */
  async decide(): Promise<void> {
    if (this.crashed) return;
    const { episode } = this;
    const action = await this.action();
    // What was decided on another road is of no use on this one.
    if (episode !== this.episode) return;
    const took_s = this.missionTime_s + this.road.file.decision_s;
    this.road.drive(action);
    this.before = this.after;
    this.after = momentOf(this.road);
    const rules = this.road.value('outputs', 'rules');
    this.rules = this.road.file.rule_names.filter((_, bit) => (rules >> bit) & 1);
    this.notice(took_s);
  }

  /** What to draw, `share` of a decision after the last but one. */
  moment(share: number): Moment {
    return between(this.before, this.after, share);
  }

  private async action(): Promise<Action> {
    const { driver } = this;
    if (driver) {
      try {
        const [throttle, brake, lane] = await driver.act(this.road.observation);
        return { throttle, brake, lane };
      } catch (error) {
        if (driver === this.driver) this.fallBack(reasonOf(error));
      }
    }
    return this.road.advise();
  }

  /** Tell how a mission or the drive ended. */
  private notice(took_s: number): void {
    const { file } = this.road;
    const outcome = file.outcomes[this.road.value('outputs', 'mission_ended')]!;
    if (this.crashed) {
      this.end('crashed', 'There was a collision.', took_s);
      this.listener.crashed(this.road.value('roads', 'ego_fault') === 1);
    } else if (outcome !== 'running') {
      const reason = file.reasons[this.road.value('outputs', 'ended_reason')] || whyNot(outcome, took_s);
      this.end(outcome as Ending, reason, took_s);
    }
  }

  private end(ending: Ending, reason: string, took_s: number): void {
    const { given } = this;
    this.given = null;
    if (given) this.listener.ended(this.record(given, ending, reason, took_s));
  }

  private callOff(): void {
    this.end('cancelled', 'It was called off.', this.time_s - this.given!.time_s);
  }

  /** What was underway ends without having been given up; a hold has nothing to finish. */
  private replace(reason: string): void {
    const { given } = this;
    this.given = null;
    if (given && given.order.mode !== 'hold')
      this.listener.replaced(this.record(given, 'cancelled', reason, this.time_s - given.time_s));
  }

  private record(
    given: Given & { time_s: number; counts: number[] },
    ending: Ending,
    reason: string,
    duration_s: number,
  ): MissionRecord {
    const { order, text, source, time_s, counts } = given;
    const target = order.target_speed_mps;
    const used = this.counts().map(
      (count, rule) => [this.road.file.rule_names[rule]!, count - counts[rule]!] as const,
    );
    return {
      ...order,
      ending,
      reason: ending === 'done' ? '' : reason,
      duration_s,
      driver: Array.from(this.driverName).slice(0, LONGEST_DRIVER).join(''),
      text,
      source,
      time_s,
      speed_error_mps: target === null ? null : this.road.value('vehicles', 'speed_mps') - target,
      interventions: Object.fromEntries(used.filter(([, count]) => count > 0)),
    };
  }

  private counts(): number[] {
    return Array.from(this.road.column('roads', 'interventions'));
  }
}

/** Whether an order drops what the one before asked for, rather than changing it or adding to it. */
function isGivenUp(before: Order, now: Order): boolean {
  if (before.mode === 'hold') return false;
  if (now.mode === 'hold') return true;
  if (before.mode === 'cruise') return now.mode === 'stop';
  const keepsLane = before.mode === 'lane_change' && now.target_lane === before.target_lane;
  return before.mode !== now.mode && !keepsLane;
}

function whyNot(outcome: string, took_s: number): string {
  return outcome === 'timed_out' ? `It was not done within ${Math.round(took_s)} seconds.` : '';
}
