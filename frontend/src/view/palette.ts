/** The colours of the game; style/base.css has the same names. */

export const COLOURS = {
  ground: 0x090c11,
  dots: 0x1a212c,
  runoff: 0x11161d,
  shoulder: 0x16231f,
  road: 0x2a2f38,
  groove: 0x1d2128,
  edge: 0xd6deea,
  wall: 0x5a6679,
  wallBase: 0x05070a,
  kerbA: 0xd8404a,
  kerbB: 0xe9edf4,
  gate: 0x8ea0b8,
  you: 0xffb224,
  ai: 0x35d0ff,
  ghost: 0xc792ff,
  good: 0x3ddc84,
  bad: 0xff5c6c,
  dust: 0x8a8270,
  spark: 0xffd27a,
  skid: 0x07090c,
} as const;

/** One colour per younger self, from the first clumsy one to the newest. */
export const AGES = [0x5b6b8c, 0x6f7fd6, 0x8a6fe8, 0xb45fe0, 0xe0559f, 0xff6d5a, 0xffa14a, 0x35d0ff] as const;

export function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
