/** Medals for three laps, by the par times of a track. */

export type Medal = 'gold' | 'silver' | 'bronze';
type Par = [number, number, number] | null;

const NAMES: Medal[] = ['gold', 'silver', 'bronze'];
export const MEDAL_LAPS = 3;

export function medalOf(ticks: number | null, par: Par): Medal | null {
  if (ticks === null || !par) return null;
  const place = par.findIndex((limit) => ticks <= limit);
  return NAMES[place] ?? null;
}

/** The next better medal and what it takes. */
export function nextMedal(ticks: number | null, par: Par): { name: Medal; ticks: number } | null {
  if (!par) return null;
  const medal = medalOf(ticks, par);
  const place = medal ? NAMES.indexOf(medal) - 1 : NAMES.length - 1;
  return place < 0 ? null : { name: NAMES[place]!, ticks: par[place]! };
}
