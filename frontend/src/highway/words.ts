/** What the page says about missions, rules and endings. */
import type { HighwayDrive, MissionRecord } from './drive';
import type { Road } from './road';
import { speedText, type Units } from './units';

export const RULE_TEXT: Record<string, string> = {
  range: 'the driver asked for something out of range',
  edge: 'there is no lane on that side',
  occupied: 'no safe gap there',
  closing: 'somebody is closing that gap',
  abort: 'the change became unsafe and was turned back',
  distance: 'less throttle, to keep a safe gap',
  emergency: 'braking hard for a safe gap',
  speed_limit: 'too fast for this lane',
  minimal_risk: 'the driver failed: stopping on the shoulder',
};
const GAP_RULES = ['occupied', 'closing'];
const PROTECTING = [...GAP_RULES, 'abort', 'distance', 'emergency', 'minimal_risk'];

/** Whether a rule keeps the car from harm now; waiting for a gap, and keeping to lanes and limits, is everyday driving. */
export function protects(rule: string, drive: HighwayDrive): boolean {
  return PROTECTING.includes(rule) && !(GAP_RULES.includes(rule) && waitsForGap(drive));
}

/** A lane as people count: from 1 on the left. */
export function laneText(road: Road, lane: number): string {
  return lane === road.lanes ? 'the shoulder' : `lane ${lane + 1}`;
}

/** What the car is doing, in a few words. */
export function missionText(drive: HighwayDrive, units: Units): string {
  const { road, mode } = drive;
  const number = road.value('roads', 'mission_lane');
  const lane = laneText(road, number);
  const speed = speedText(units, road.value('roads', 'mission_speed_mps'));
  if (mode === 'cruise') return `Cruising at ${speed}`;
  if (mode === 'lane_change') return `Moving to ${lane}`;
  if (mode === 'overtake')
    return road.value('roads', 'mission_passed')
      ? `Overtaken; back to ${lane}`
      : `Overtaking through ${lane}`;
  const on = number === road.lanes ? 'on' : 'in';
  if (mode === 'stop') return `${drive.stands ? 'Standing' : 'Stopping'} ${on} ${lane}`;
  return drive.stands ? `Standing ${on} ${lane}` : `Holding ${lane} at ${speed}`;
}

/** Why nothing seems to happen: the mission's lane is not reached, and no change is underway. */
export function waitsForGap(drive: HighwayDrive): boolean {
  const { road } = drive;
  const lane = road.value('vehicles', 'lane');
  const changing = lane !== road.value('vehicles', 'target_lane');
  return !changing && drive.mode !== 'hold' && lane !== road.value('roads', 'mission_lane');
}

/** How a mission ended; one that was accepted and failed later was not refused. */
export function endingText({ ending, text, reason, duration_s }: MissionRecord): string {
  const what = text ? `“${text}”` : 'the mission';
  const took = `${duration_s.toFixed(1)} s`;
  if (ending === 'done') return `Done: ${what}, in ${took}.`;
  if (ending === 'timed_out') return `Not done: ${what}. ${reason}`;
  if (ending === 'refused')
    return duration_s > 0 ? `Not done: ${what}, after ${took}: ${reason}.` : `Refused: ${what}, ${reason}.`;
  if (ending === 'cancelled') return `Called off: ${what}, after ${took}.`;
  return `Ended: ${what}. ${reason}`;
}
