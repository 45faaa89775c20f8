/** Orders: what somebody typed or said, understood by the server's grammar; and those that buttons give. */
import { refusalOf } from '../site/reasons';
import type { HighwayDrive } from './drive';
import type { ModeName, Order } from './road';
import { NOTHING_SAID } from './road';

/** What the page reads of the server's answer about an order. */
interface Answer {
  mode: ModeName | null;
  target_lane: number | null;
  target_speed_mph: number | null;
  gap_s: number | null;
  direction: Order['direction'];
  return_lane: number | null;
  sentence: string;
}

/** An order that was understood, or null, with a sentence to show and to say. */
export interface Understanding {
  order: Order | null;
  sentence: string;
}

export const NO_GRAMMAR =
  'Written and spoken orders need “hotlap play”; this is a copy of the page without a server. The buttons work.';

/** Ask the grammar what an order means for the car as it is now. */
export async function understand(
  text: string,
  source: 'text' | 'voice',
  drive: HighwayDrive,
  ask: typeof fetch = (...args) => fetch(...args),
): Promise<Understanding> {
  let answer: Response;
  try {
    answer = await ask('api/highway/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text, source, ...situation(drive) }),
    });
  } catch {
    return { order: null, sentence: 'The server does not answer; the buttons still work.' };
  }
  if (!answer.ok) return { order: null, sentence: await refusalOf(answer) };
  return understanding((await answer.json()) as Answer, drive.road.file.mph);
}

function understanding(answer: Answer, mph: number): Understanding {
  const { mode, target_lane, target_speed_mph, gap_s, direction, return_lane, sentence } = answer;
  if (mode === null) return { order: null, sentence };
  const target_speed_mps = target_speed_mph === null ? null : target_speed_mph * mph;
  return { order: { mode, target_lane, target_speed_mps, gap_s, direction, return_lane }, sentence };
}

const SIDES: Record<number, 'left' | 'right'> = { [-1]: 'left', 1: 'right' };

/** Where the car is, what it does, and who is around: the same that `hotlap drive` tells the grammar. */
export function situation(drive: HighwayDrive): Record<string, unknown> {
  const { road } = drive;
  const { mph } = road.file;
  const moment = drive.moment(1);
  const ahead = moment.leader && moment.vehicles[moment.leader.vehicle];
  const back = road.value('roads', 'mission_return');
  return {
    lane: road.value('vehicles', 'target_lane'),
    speed_mph: road.value('vehicles', 'speed_mps') / mph,
    lanes: road.lanes,
    time_s: drive.time_s,
    mission: {
      mode: drive.mode,
      target_lane: road.value('roads', 'mission_lane'),
      target_speed_mph: road.value('roads', 'mission_speed_mps') / mph,
      gap_s: road.value('roads', 'mission_gap_s'),
      direction: SIDES[road.value('roads', 'mission_direction')] ?? null,
      return_lane: back < 0 ? null : back,
    },
    traffic: {
      ahead: ahead ? road.file.kinds[ahead.kind]!.toLowerCase() : null,
      ahead_speed_mph: ahead ? ahead.speed_mps / mph : null,
      left_occupied: road.value('outputs', 'left_taken') !== 0,
      right_occupied: road.value('outputs', 'right_taken') !== 0,
    },
  };
}

export interface ReadyOrder {
  label: string;
  text: string;
  /** The order where the car is now, or null where there is no such lane. */
  order(drive: HighwayDrive): Order | null;
}

/** Orders for which no words are needed. */
export const READY_ORDERS: ReadyOrder[] = [
  { label: '← Left', text: 'move one lane left', order: (drive) => laneChange(drive, -1) },
  { label: 'Right →', text: 'move one lane right', order: (drive) => laneChange(drive, 1) },
  { label: 'Overtake', text: 'overtake', order: overtake },
  { label: 'Cruise 55', text: 'cruise at 55', order: (drive) => cruise(drive, 55) },
  { label: 'Cruise 65', text: 'cruise at 65', order: (drive) => cruise(drive, 65) },
  { label: 'Stop', text: 'stop', order: () => ({ ...NOTHING_SAID, mode: 'stop' }) },
  { label: 'Cancel', text: 'cancel', order: () => NOTHING_SAID },
];

function cruise(drive: HighwayDrive, speed_mph: number): Order {
  return { ...NOTHING_SAID, mode: 'cruise', target_speed_mps: speed_mph * drive.road.file.mph };
}

function laneChange(drive: HighwayDrive, side: -1 | 1): Order | null {
  const target_lane = drive.road.value('vehicles', 'target_lane') + side;
  if (target_lane < 0 || target_lane >= drive.road.lanes) return null;
  return { ...NOTHING_SAID, mode: 'lane_change', target_lane, direction: side < 0 ? 'left' : 'right' };
}

/** Past the vehicle ahead and back, on the left where there is a lane. */
function overtake(drive: HighwayDrive): Order {
  const here = drive.road.value('vehicles', 'target_lane');
  return { ...NOTHING_SAID, mode: 'overtake', direction: here > 0 ? 'left' : 'right', return_lane: here };
}
