/** The unit system of the page: miles and feet, or kilometres and metres. */
import { FOOT_M, KMH_PER_MPS, MPH_MPS } from '../physics/numbers';

export type Units = 'mph' | 'km/h';

export const UNITS: Units[] = ['mph', 'km/h'];
const MPS: Record<Units, number> = { mph: MPH_MPS, 'km/h': 1 / KMH_PER_MPS };

export function speedIn(units: Units, speed_mps: number): number {
  return speed_mps / MPS[units];
}

export function inMps(units: Units, speed: number): number {
  return speed * MPS[units];
}

export function speedText(units: Units, speed_mps: number): string {
  return `${Math.round(speedIn(units, speed_mps))} ${units}`;
}

export function lengthText(units: Units, length_m: number): string {
  return units === 'mph' ? `${Math.round(length_m / FOOT_M)} ft` : `${Math.round(length_m)} m`;
}
