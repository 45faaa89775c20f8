/** What happens between cars that touch: contacts, whose fault they were, and overtakes that held. */
import type { ContactFleet } from '../physics/contact-fleet';
import type { Fault, RaceEvent } from './events';
import type { RaceCar } from './race-car';

/** What the last tick says of those who were driven in it. */
export function contactEvents(fleet: ContactFleet, driven: RaceCar[]): RaceEvent[] {
  return driven.flatMap((car) => [...touches(fleet, car), ...passes(fleet, car)]);
}

/** A touch of cars that were apart, as this one sees it. */
function touches(fleet: ContactFleet, car: RaceCar): RaceEvent[] {
  const other = fleet.touched(car.number);
  const count = fleet.contenders.contacts![car.number]!;
  const isNew = count > car.contacts;
  car.contacts = count;
  if (!isNew || other === null) return [];
  const jolt = fleet.facts.impulse![car.number]! / fleet.contenders.mass![car.number]!;
  return [{ type: 'contact', car: car.number, other, jolt, fault: faultOf(fleet, car.number, other) }];
}

function faultOf({ facts }: ContactFleet, car: number, other: number): Fault {
  const [mine, theirs] = [facts.fault![car] === 1, facts.fault![other] === 1];
  if (mine && theirs) return 'both';
  if (mine) return 'own';
  return theirs ? 'other' : 'nobody';
}

/** Overtakes; who lost places in the same tick are the others. */
function passes({ facts, cars }: ContactFleet, { number }: RaceCar): RaceEvent[] {
  const count = facts.passes![number]!;
  if (count === 0) return [];
  const others = Array.from({ length: cars }, (_, car) => car).filter((car) => car !== number);
  const losers = others.filter((car) => facts.losses![car]! > 0).slice(0, count);
  return losers.map((other) => ({ type: 'pass', car: number, other }));
}
