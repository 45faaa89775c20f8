/** From the state of a race to a frame: camera, poses between ticks, sparks and marks. */

import type { ContactFleet } from '../physics/contact-fleet';
import type { Fleet } from '../physics/fleet';
import type { Expectation } from '../race/foresight';
import { blendPose, emptyPose, type Pose } from '../race/poses';
import type { Entrant } from '../race/race-car';
import type { Track } from '../site/data';
import type { Light, Settings } from '../site/settings';
import { Camera, lensFor } from './camera';
import { Effects } from './effects';
import type { Frame, Scene } from './scene';
import { sensesOf } from './senses';

const STROLL_UPS = 55;
const MOST_PIXELS = { webgl: 2560 * 1440, canvas: 1600 * 900 };

/** What is shown: a race as it is driven, or a replay of it. */
export interface Showing {
  fleet: Fleet;
  contact: ContactFleet | null;
  cars: ShownCar[];
  driving: boolean;
  /** Whether drivers see what is shown, now. */
  live: boolean;
  /** Whether a reference lap drives along, and where it is between two ticks. */
  ghost: object | null;
  ghostPose(share: number): Pose | null;
}

export interface ShownCar {
  number: number;
  entrant: Entrant;
  before: Pose;
  now: Pose;
}

export class Picture {
  readonly poses: Pose[] = [];
  readonly effects = new Effects();
  /** The reference lap, where it drives along. */
  ghost: Pose | null = null;
  /** See `Frame.aside`. */
  aside = 0;
  /** What the driver whose senses are shown expects. */
  expected: Expectation | null = null;
  private light: Light = 'day';
  private readonly camera = new Camera();
  private strolled = 0;
  private jumped = false;

  constructor(
    private readonly scene: Scene,
    private readonly canvas: HTMLCanvasElement,
  ) {
    this.resize();
    window.addEventListener('resize', () => this.resize());
  }

  /** Make ready for a race, or for a restart of it. */
  begin(race: Showing): void {
    const { track, car } = race.fleet;
    this.scene.setTrack(track.file, car.id, this.light);
    this.scene.setCars(
      race.cars.map(({ entrant, number }) => ({
        colour: entrant.colour,
        ghost: entrant.kind !== 'human' && race.contact === null,
        length: race.contact?.lengthOf(number) ?? null,
      })),
      car.id,
    );
    this.camera.lens = lensFor(car.number !== null, race.contact !== null);
    this.effects.clear();
    this.poses.length = 0;
    for (const car of race.cars) this.poses.push({ ...car.now });
    this.jumped = false;
  }

  /** What a tick left behind. */
  afterTick(race: Showing): void {
    for (const car of race.cars) if (race.driving && !car.now.gone) this.effects.mark(car.number, car.now);
  }

  draw(race: Showing, followed: ShownCar | null, share: number, seconds: number, settings: Settings): void {
    for (const car of race.cars)
      blendPose(this.poses[car.number]!, car.before, car.now, race.driving ? share : 1);
    const target = followed ? this.poses[followed.number]! : this.stroll(race.fleet.track, seconds);
    this.setLight(race, settings.light);
    const upright = window.innerHeight > window.innerWidth;
    this.camera.rotates = settings.camera === 'turn' || (settings.camera === 'auto' && upright);
    this.camera.calm = this.effects.calm = settings.reduceMotion;
    [this.camera.halfWidth, this.camera.halfHeight] = this.scene.halfSeen(this.camera.view.extent);
    if (this.jumped) this.camera.follow(target, race.driving || !followed ? seconds : 0);
    else this.camera.jump(target);
    this.jumped = true;
    this.effects.fly(seconds);
    this.ghost = race.ghostPose(share);
    const watched = race.cars.find(({ entrant }) => entrant.kind === 'policy') ?? followed;
    const frame: Frame = {
      view: this.camera.view,
      poses: this.poses,
      effects: this.effects,
      seconds,
      aside: this.aside,
      showLine: settings.showLine,
      ghost: this.ghost,
      showBrakes: race.ghost !== null,
      senses: settings.showRays && race.live && watched ? sensesOf(race, watched, this.poses) : null,
      expected: race.live ? this.expected : null,
    };
    this.scene.draw(frame);
  }

  private setLight({ fleet }: Showing, light: Light): void {
    if (light === this.light) return;
    this.light = light;
    this.scene.setTrack(fleet.track.file, fleet.car.id, light);
  }

  /** Stand where the followed car is in the next frame, without a way there. */
  cut(): void {
    this.jumped = false;
  }

  /** Draw what was last drawn on another canvas as well. */
  copyTo(pen: CanvasRenderingContext2D): void {
    this.scene.copyTo(pen);
  }

  /** A jolt of so many units per second, felt in the camera. */
  shake(jolt: number): void {
    this.camera.shake(jolt);
  }

  flash(gate: number, colour: number): void {
    this.scene.flash(gate, colour);
  }

  /** With nobody to follow, walk along the track. */
  private stroll(track: Track, seconds: number): Pose {
    const { centre } = track.file.lines;
    this.strolled += STROLL_UPS * seconds;
    const place = (this.strolled / track.file.length_u) * centre.length;
    const i = Math.floor(place) % centre.length;
    const [ax, ay] = centre[i]!;
    const [bx, by] = centre[(i + 1) % centre.length]!;
    const share = place - Math.floor(place);
    return { ...emptyPose(), x: ax + (bx - ax) * share, y: ay + (by - ay) * share };
  }

  /** As sharp as the screen, but never more pixels than a plain computer can fill sixty times a second. */
  private resize(): void {
    const [width, height] = [window.innerWidth, window.innerHeight];
    const wanted = Math.min(2, window.devicePixelRatio || 1);
    const affordable = Math.sqrt(MOST_PIXELS[this.scene.kind] / (width * height));
    const density = Math.min(wanted, affordable);
    this.scene.resize(width, height, density);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }
}
