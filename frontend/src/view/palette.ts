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
  smoke: 0xdfe3ea,
  spark: 0xffd27a,
  skid: 0x07090c,
} as const;

/** What a picture of a track is painted with, by day and by night. */
export interface Scenery {
  ground: number;
  /** Specks and stripes of the meadow. */
  meadow: number;
  runoff: number;
  shoulder: number;
  road: number;
  groove: number;
  edge: number;
  wall: number;
  wallBase: number;
  /** Pairs of dark and light, one for each sort of tree. */
  trees: [number, number][];
  /** How dark shadows are. */
  shadow: number;
  skid: number;
  /** Whether lamps and headlights are on. */
  lamps: boolean;
}

export const SCENERIES: Record<'day' | 'night', Scenery> = {
  day: {
    ground: 0x5f8f4a,
    meadow: 0x6b9c54,
    runoff: 0x9aa268,
    shoulder: 0x77a85c,
    road: 0x575c65,
    groove: 0x3f434b,
    edge: 0xf4f6fa,
    wall: 0xc9d0da,
    wallBase: 0x3c444f,
    trees: [
      [0x2f6135, 0x3f7d43],
      [0x3b6b2f, 0x528a3d],
      [0x4a6a2b, 0x6a8c3a],
      [0x25563d, 0x337150],
    ],
    shadow: 0.26,
    skid: 0x15171b,
    lamps: false,
  },
  night: {
    ground: COLOURS.ground,
    meadow: 0x10161c,
    runoff: COLOURS.runoff,
    shoulder: COLOURS.shoulder,
    road: COLOURS.road,
    groove: COLOURS.groove,
    edge: COLOURS.edge,
    wall: COLOURS.wall,
    wallBase: COLOURS.wallBase,
    trees: [
      [0x0d1a17, 0x13261f],
      [0x101d15, 0x182b1c],
      [0x0b1716, 0x11221f],
    ],
    shadow: 0.4,
    skid: COLOURS.skid,
    lamps: true,
  },
};

/** One colour per younger self, from the first clumsy one to the newest. */
export const AGES = [0x5b6b8c, 0x6f7fd6, 0x8a6fe8, 0xb45fe0, 0xe0559f, 0xff6d5a, 0xffa14a, 0x35d0ff] as const;

/** One colour per opponent of a race. */
export const FIELD = [
  0x35d0ff, 0xff5c6c, 0xb07cff, 0x3ddc84, 0xf2f5fa, 0xff8fd0, 0x5b8cff, 0xc9b27c,
] as const;

export function css(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
