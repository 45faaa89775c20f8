/** Numbers as people read them. */
import { TICKS_PER_SECOND } from '../physics/numbers';

/** M:SS.mmm of a number of ticks; a dash for none. */
export function lapTime(ticks: number | null | undefined): string {
  if (ticks == null || ticks < 0 || !Number.isFinite(ticks)) return '–:––.–––';
  const thousandths = Math.round((ticks * 1000) / TICKS_PER_SECOND);
  const minutes = Math.floor(thousandths / 60_000);
  const rest = ((thousandths % 60_000) / 1000).toFixed(3).padStart(6, '0');
  return `${minutes}:${rest}`;
}

/** Seconds with a sign: +0.312 is behind, −0.312 ahead. */
export function gap(ticks: number, digits = 3): string {
  const seconds = ticks / TICKS_PER_SECOND;
  const sign = seconds < 0 ? '−' : '+';
  return `${sign}${Math.abs(seconds).toFixed(digits)}`;
}

/** Steps of training, short: 50k, 1.2M. */
export function steps(count: number): string {
  if (count >= 1_000_000) return `${trimmed(count / 1_000_000)}M`;
  if (count >= 1_000) return `${trimmed(count / 1_000)}k`;
  return String(count);
}

/** How long something took, short: 0.4 s, 30 s, 12 min. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  return seconds < 119.5 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function trimmed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '');
}

/** Bytes as people read them: 37 kB, 1.2 MB. */
function kilobytes(bytes: number): string {
  return bytes >= 999_500 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.round(bytes / 1000)} kB`;
}

/** How much of something has come. */
export function arrivedText(received: number, total: number | null): string {
  return total === null ? kilobytes(received) : `${kilobytes(received)} of ${kilobytes(total)}`;
}
