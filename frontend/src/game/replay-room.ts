/** The last race once more: records while it is driven, and shows it from any car at any speed. */

import type { RaceEvent } from '../race/events';
import { Moments } from '../race/moments';
import type { Pose } from '../race/poses';
import type { Race } from '../race/race';
import { Recording } from '../race/recording';
import { Replay } from '../race/replay';
import type { Settings } from '../site/settings';
import { lapTime } from '../ui/format';
import { ReplayBar } from '../ui/replay-bar';
import type { Picture } from '../view/picture';
import { CLIP_S, Reel, save } from '../view/reel';

export class ReplayRoom {
  /** What to do when somebody has seen enough. */
  onClose: (race: Race) => void = () => {};
  private recording = new Recording(1);
  private moments = new Moments();
  private shown: Replay | null = null;
  private bar: ReplayBar | null = null;
  private reel: Reel | null = null;
  private followed = 0;
  private clipLeftS = 0;

  get isOpen(): boolean {
    return this.shown !== null;
  }

  /** The car that is heard: the followed one, while the replay plays. */
  get heard(): Pose | null {
    return this.shown?.playing ? (this.shown.cars[this.followed]?.now ?? null) : null;
  }

  /** A new race: what was kept of the last one goes. */
  begin(race: Race): void {
    this.close();
    this.recording = new Recording(Math.max(1, race.cars.length));
    this.moments = new Moments();
    this.keep(race);
  }

  /** A tick of a race was driven. */
  afterTick(race: Race): void {
    if (race.tick <= this.recording.last) return;
    this.keep(race);
    this.moments.watch(race);
  }

  note(event: RaceEvent, race: Race): void {
    this.moments.note(event, race.tick);
  }

  open(race: Race, picture: Picture): void {
    this.shown = new Replay(race, this.recording, this.moments.all);
    this.followed = (race.human ?? race.cars[0])?.number ?? 0;
    this.reel = new Reel(picture, () => this.caption());
    picture.begin(this.shown);
    this.bar = new ReplayBar(this.shown, {
      close: () => this.leave(),
      still: () => void this.saveStill(),
      clip: Reel.canRecord ? () => this.toggleClip() : null,
      seek: (tick) => this.seek(picture, tick),
      follow: (car) => {
        this.followed = car;
        picture.cut();
      },
    });
    document.body.append(this.bar.root);
    this.bar.open();
  }

  /** One frame of the replay. */
  draw(picture: Picture, seconds: number, settings: Settings): void {
    const { shown } = this;
    if (!shown) return;
    const ticks = shown.advance(seconds);
    if (ticks > 0) picture.afterTick(shown);
    picture.draw(
      shown,
      shown.cars[this.followed] ?? null,
      shown.share,
      shown.playing ? seconds : 0,
      settings,
    );
    this.reel?.afterFrame();
    this.countClip(seconds);
    this.bar?.update();
  }

  /** Enough: back to where it was opened from. */
  leave(): void {
    const race = this.shown?.race;
    this.close();
    if (race) this.onClose(race);
  }

  private close(): void {
    this.reel?.stop();
    this.bar?.root.remove();
    this.shown = this.bar = this.reel = null;
  }

  private keep(race: Race): void {
    this.recording.add(race.cars.map((car) => car.now));
  }

  private seek(picture: Picture, tick: number): void {
    this.shown?.seek(tick);
    picture.effects.clear();
    picture.cut();
  }

  private caption(): string {
    const { shown } = this;
    if (!shown) return '';
    const name = shown.cars[this.followed]?.entrant.name ?? '';
    return `HOTLAP · ${shown.fleet.track.file.name} · ${name} · ${lapTime(shown.tick)}`;
  }

  private async saveStill(): Promise<void> {
    const { bar, reel } = this;
    try {
      save(await reel!.still());
    } catch (error) {
      bar?.say(String(error));
    }
  }

  private toggleClip(): void {
    const { bar, reel, shown } = this;
    if (!bar || !reel || !shown) return;
    if (reel.recording) {
      reel.stop();
      return;
    }
    this.clipLeftS = CLIP_S;
    shown.playing = true;
    void reel.record().then((clip) => {
      save(clip);
      bar.setClip(null);
      bar.say(`Saved ${clip.name}`);
    });
  }

  private countClip(seconds: number): void {
    const { bar, reel, shown } = this;
    if (!reel?.recording) return;
    this.clipLeftS -= seconds;
    bar?.setClip(Math.max(0, this.clipLeftS));
    if (this.clipLeftS <= 0 || !shown?.playing) reel.stop();
  }
}
