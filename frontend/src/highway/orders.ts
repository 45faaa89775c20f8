/** Orders: what somebody typed or said, understood by the one grammar; and those that buttons give. */
import { reasonOf } from '../site/reasons';
import type { HighwayDrive } from './drive';
import type { Answer, OrderReader, SentOrder } from './order-reader';
import type { Order } from './road';
import { NOTHING_SAID } from './road';
import { inMps, type Units } from './units';

/** An order that was understood, or null, with a sentence to show and to say. */
export interface Understanding {
  order: Order | null;
  sentence: string;
}

/** Ask the grammar what an order means for the car as it is when the order can be read. */
export async function understand(
  text: string,
  source: 'text' | 'voice',
  drive: HighwayDrive,
  units: Units,
  reader: OrderReader,
): Promise<Understanding> {
  try {
    await reader.ready();
    const answer = await reader.read({ text, source, units, ...situation(drive) });
    return understanding(answer, drive.road.file.mph);
  } catch (problem) {
    return { order: null, sentence: reasonOf(problem) };
  }
}

function understanding(answer: Answer, mph: number): Understanding {
  const { mode, target_lane, target_speed_mph, gap_s, direction, return_lane, sentence } = answer;
  if (mode === null) return { order: null, sentence };
  const target_speed_mps = target_speed_mph === null ? null : target_speed_mph * mph;
  return { order: { mode, target_lane, target_speed_mps, gap_s, direction, return_lane }, sentence };
}

const SIDES: Record<number, 'left' | 'right'> = { [-1]: 'left', 1: 'right' };

/** Where the car is, what it does, and who is around: the same that `hotlap drive` tells the grammar. */
export function situation(drive: HighwayDrive): SentOrder {
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
  /** The order where the car is now, or null where it cannot be: no such lane, nobody to pass. */
  order(drive: HighwayDrive): Order | null;
}

const CRUISES: Record<Units, number[]> = { mph: [55, 65], 'km/h': [90, 105] };

/** Orders for which no words are needed. */
export function readyOrders(units: Units): ReadyOrder[] {
  return [
    { label: '← Left', text: 'move one lane left', order: (drive) => laneChange(drive, -1) },
    { label: 'Right →', text: 'move one lane right', order: (drive) => laneChange(drive, 1) },
    { label: 'Overtake', text: 'overtake', order: overtake },
    ...CRUISES[units].map((speed) => cruise(speed, units)),
    { label: 'Stop', text: 'stop', order: () => ({ ...NOTHING_SAID, mode: 'stop' }) },
    { label: 'Pull over', text: 'pull over', order: pullOver },
    { label: 'Cancel', text: 'cancel', order: () => NOTHING_SAID },
  ];
}

function cruise(speed: number, units: Units): ReadyOrder {
  const order: Order = { ...NOTHING_SAID, mode: 'cruise', target_speed_mps: inMps(units, speed) };
  return { label: `Cruise ${speed}`, text: `cruise at ${speed} ${units}`, order: () => order };
}

/** The first scene from a number on in which the vehicle ahead can be passed at once; that number where there is none. */
export function passableScene(drive: HighwayDrive, first: number, vehicles: number): number {
  const { length } = drive.road.file.scenes;
  const scenes = Array.from({ length }, (_, place) => (first + place) % length);
  const passable = (scene: number) => {
    drive.begin(scene, vehicles);
    return overtake(drive) !== null;
  };
  return scenes.find(passable) ?? first % length;
}

/** A stop on the shoulder. */
function pullOver(drive: HighwayDrive): Order {
  return { ...NOTHING_SAID, mode: 'stop', target_lane: drive.road.lanes, direction: 'right' };
}

function laneChange(drive: HighwayDrive, side: -1 | 1): Order | null {
  const target_lane = drive.road.value('vehicles', 'target_lane') + side;
  if (target_lane < 0 || target_lane >= drive.road.lanes) return null;
  return { ...NOTHING_SAID, mode: 'lane_change', target_lane, direction: side < 0 ? 'left' : 'right' };
}

/** Past the vehicle ahead and back, on the left where that is possible; null where nobody can be passed. */
export function overtake(drive: HighwayDrive): Order | null {
  const return_lane = drive.road.value('vehicles', 'target_lane');
  const orders = (['left', 'right'] as const).map(
    (direction): Order => ({ ...NOTHING_SAID, mode: 'overtake', direction, return_lane }),
  );
  return orders.find((order) => drive.obstacle(order) === null) ?? null;
}
