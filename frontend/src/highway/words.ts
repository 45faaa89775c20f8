/** What the page says about missions, rules and endings. */
import type { HighwayDrive, MissionRecord } from './drive';

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

/** What the car is doing, in a few words. */
export function missionText(drive: HighwayDrive): string {
  const { road, mode } = drive;
  const lane = road.value('roads', 'mission_lane');
  const mph = Math.round(road.value('roads', 'mission_speed_mps') / road.file.mph);
  if (mode === 'cruise') return `Cruising at ${mph} mph`;
  if (mode === 'lane_change') return `Moving to lane ${lane}`;
  if (mode === 'overtake')
    return road.value('roads', 'mission_passed')
      ? `Overtaken; back to lane ${lane}`
      : `Overtaking through lane ${lane}`;
  if (mode === 'stop') return lane === road.lanes ? 'Stopping on the shoulder' : `Stopping in lane ${lane}`;
  return `Holding lane ${lane} at ${mph} mph`;
}

/** Why nothing seems to happen: the mission's lane is not reached, and no change is underway. */
export function waitsForGap(drive: HighwayDrive): boolean {
  const { road } = drive;
  const lane = road.value('vehicles', 'lane');
  const changing = lane !== road.value('vehicles', 'target_lane');
  return !changing && drive.mode !== 'hold' && lane !== road.value('roads', 'mission_lane');
}

export function endingText({ ending, text, reason, duration_s }: MissionRecord): string {
  const what = text ? `“${text}”` : 'the mission';
  const took = `${duration_s.toFixed(1)} s`;
  if (ending === 'done') return `Done: ${what}, in ${took}.`;
  if (ending === 'timed_out') return `Given up: ${what}. ${reason}`;
  if (ending === 'refused') return `Refused: ${what}, ${reason}.`;
  if (ending === 'cancelled') return `Called off: ${what}, after ${took}.`;
  return `Ended: ${what}. ${reason}`;
}
