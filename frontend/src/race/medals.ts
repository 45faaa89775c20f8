/** Medals for a clean flying lap, by how near it comes to the reference lap of the track and car. */

export type Medal = 'gold' | 'silver' | 'bronze';

/** How much longer than the reference a lap may take, best medal first. */
const ALLOWANCES: [Medal, number][] = [
  ['gold', 0.08],
  ['silver', 0.2],
  ['bronze', 0.45],
];

const limitOf = (reference: number, allowance: number) => Math.floor(reference * (1 + allowance));

/** What a clean flying lap of so many ticks earns; null where there is no lap, no reference or no medal. */
export function medalOf(ticks: number | null, reference: number | null): Medal | null {
  if (ticks === null || reference === null) return null;
  return ALLOWANCES.find(([, allowance]) => ticks <= limitOf(reference, allowance))?.[0] ?? null;
}

/** The next better medal and the lap it takes. */
export function nextMedal(
  ticks: number | null,
  reference: number | null,
): { name: Medal; ticks: number } | null {
  if (reference === null) return null;
  const better = ALLOWANCES.filter(
    ([, allowance]) => ticks === null || ticks > limitOf(reference, allowance),
  );
  const next = better.at(-1);
  return next ? { name: next[0], ticks: limitOf(reference, next[1]) } : null;
}
