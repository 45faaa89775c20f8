/** The highway page: the drive, its picture and its panel, moved by the clock of the browser. */
import { Clock } from '../physics/clock';
import { fetchPolicies, type Site } from '../site/data';
import { type Light, loadSettings, saveSettings } from '../site/settings';
import type { Stats } from '../site/stats';
import { isRecord, read, type TextStore, write } from '../site/storage';
import { openDialog } from '../ui/dialogs';
import { h } from '../ui/dom';
import { EXPERT, HighwayDrive, type MissionRecord } from './drive';
import { commandOf } from './keys';
import { MissionPost } from './mission-log';
import { missionsDialog } from './missions-dialog';
import { type OrderReader, ServerReader } from './order-reader';
import { passableScene, type ReadyOrder, understand } from './orders';
import { DENSITIES, Panel, type ShownRule } from './panel';
import { PythonReader } from './python-reader';
import type { Order, Road } from './road';
import { ROAD_SCENERIES } from './scenery';
import { speedIn, UNITS, type Units } from './units';
import { RoadView } from './view';
import { CONSENT_TEXT, Ear, pageRecognition, say } from './voice';
import { Wheel } from './wheel';
import { endingText, missionText, protects } from './words';

const LIST_MS = 2000;
const RULE_SHOWN_MS = 1600;
const AGAIN_MS = 3500;
const MOST_AT_ONCE = 5;

interface Choices {
  vehicles: number;
  speaks: boolean;
  driver: string;
  units: Units;
}

export class HighwayPage {
  readonly drive: HighwayDrive;
  private readonly panel: Panel;
  private readonly view: RoadView;
  private readonly wheel: Wheel;
  private readonly ear: Ear;
  private readonly reader: OrderReader;
  private readonly post: MissionPost;
  private readonly clock: Clock;
  private readonly choices: Choices;
  /** The driver chosen on this visit. */
  private picked: string | null = null;
  private scene = 0;
  private paused = false;
  private deciding = false;
  private shownRule: (ShownRule & { until: number }) | null = null;
  /** The missions of this visit that ended, newest first. */
  private readonly driven: MissionRecord[] = [];
  private alarm = 0;

  constructor(
    private readonly road: Road,
    private readonly site: Site,
    private readonly store: TextStore,
    private readonly stats: Stats,
  ) {
    this.choices = chosen(store);
    this.drive = new HighwayDrive(road, {
      ended: (record) => this.ended(record),
      replaced: (record) => this.keep(record),
      fellBack: () => this.showFallback(),
      crashed: (byEgo) => this.crashed(byEgo),
    });
    this.wheel = new Wheel(this.drive);
    this.post = new MissionPost(store, site.server);
    this.ear = new Ear(store, pageRecognition(), (text) => void this.order(text, 'voice'), this.listening);
    this.reader = site.server
      ? new ServerReader()
      : new PythonReader((state) => this.panel.orderBox.setReading(state));
    this.clock = new Clock(1000 * road.file.decision_s, MOST_AT_ONCE);
    this.panel = this.makePanel();
    const { light } = loadSettings(store);
    const { lane_width_m } = road.file.road;
    this.view = new RoadView(this.panel.canvas, lane_width_m, this.limits(), ROAD_SCENERIES[light]);
    document.body.dataset.light = light;
  }

  /** Show the page and begin to drive. */
  async open(): Promise<void> {
    document.body.append(this.panel.build());
    new ResizeObserver(() => this.fit()).observe(this.panel.road);
    this.fit();
    window.addEventListener('keydown', (event) => this.key(event));
    this.beginFrom(Math.floor(Math.random() * this.road.file.scenes.length));
    this.panel.tell('car', 'Ready. Tell me what to do: type it, say it, or press a button.');
    requestAnimationFrame((now) => this.frame(now));
    await this.refreshDrivers();
    if (this.site.server) setInterval(() => void this.refreshDrivers(), LIST_MS);
    void this.post.deliver();
  }

  /** Begin a certain scene: who measures or tests wants the same road twice. */
  begin(scene: number, vehicles: number): void {
    this.scene = scene;
    this.drive.begin(scene, vehicles);
    this.showFallback();
  }

  private makePanel(): Panel {
    const { choices, site } = this;
    return new Panel(
      {
        order: (text) => void this.order(text, 'text'),
        // Whoever sends an order is told what is wrong.
        typing: () => void this.reader.ready().catch(() => {}),
        press: (ready) => this.press(ready),
        talk: (on) => this.talk(on),
        choose: (driver) => void this.choose(driver),
        density: (vehicles) => this.change({ vehicles }, () => this.beginFrom(this.scene)),
        anotherScene: () => this.anotherScene(),
        pause: () => this.togglePause(),
        missions: () => void missionsDialog(this.driven, site.server, choices.units),
        speaks: (speaks) => this.change({ speaks }),
        night: (on) => this.changeLight(on ? 'night' : 'day'),
        units: (units) => this.change({ units }, () => this.showUnits()),
      },
      {
        hasServer: site.server,
        voiceObstacle: this.ear.obstacle,
        speaks: choices.speaks,
        night: loadSettings(this.store).light === 'night',
        vehicles: choices.vehicles,
        units: choices.units,
      },
    );
  }

  /** Day or night is one choice for both pages. */
  private changeLight(light: Light): void {
    saveSettings(this.store, { ...loadSettings(this.store), light });
    this.view.scenery = ROAD_SCENERIES[light];
    document.body.dataset.light = light;
  }

  private showUnits(): void {
    this.panel.setUnits(this.choices.units);
    this.view.limits = this.limits();
  }

  private limits(): number[] {
    return this.road.file.road.limits_mps.map((limit) => speedIn(this.choices.units, limit));
  }

  private change(part: Partial<Choices>, then?: () => void): void {
    Object.assign(this.choices, part);
    write(this.store, 'highway', this.choices);
    then?.();
  }

  /** Begin the next scene in which there is somebody to pass. */
  private beginFrom(scene: number): void {
    this.begin(passableScene(this.drive, scene, this.choices.vehicles), this.choices.vehicles);
  }

  private anotherScene(): void {
    this.beginFrom(this.scene + 1);
    this.panel.tell('note', `Another road: scene ${this.scene}.`);
  }

  private togglePause(): void {
    this.paused = !this.paused;
    this.clock.restart();
    this.panel.setPaused(this.paused);
  }

  private key(event: KeyboardEvent): void {
    const command = commandOf(event);
    if (!command) return;
    // A list of drivers that has the focus would look for one of that letter.
    event.preventDefault();
    if (command === 'pause') this.togglePause();
    else this.anotherScene();
  }

  // Orders

  private async order(text: string, source: 'text' | 'voice'): Promise<void> {
    this.panel.tell('you', text);
    const { order, sentence } = await understand(text, source, this.drive, this.choices.units, this.reader);
    if (order) this.give(order, text, source, sentence);
    else this.answer(sentence);
  }

  private press(ready: ReadyOrder): void {
    const order = ready.order(this.drive);
    if (!order) return;
    this.panel.tell('you', ready.text);
    this.give(order, ready.text, 'script');
  }

  /** A refusal of the world is told by the mission's end. */
  private give(order: Order, text: string, source: 'text' | 'voice' | 'script', sentence?: string): void {
    const refused = this.drive.give({ order, text, source });
    if (!refused) this.answer(sentence ?? `${missionText(this.drive, this.choices.units)}.`);
  }

  private answer(sentence: string): void {
    this.panel.tell('car', sentence);
    if (this.choices.speaks) say(sentence);
  }

  private talk(on: boolean): void {
    if (!on) this.ear.stop();
    else if (this.ear.consented) this.ear.start();
    else this.askConsent();
  }

  private askConsent(): void {
    const close = (agreed: boolean) => {
      if (agreed) this.ear.consent();
      dialog.close();
    };
    const dialog = openDialog(
      'consent',
      'Talk to the car',
      () => {},
      h('p', {}, CONSENT_TEXT),
      h(
        'div',
        { class: 'row' },
        h('button', { type: 'button', onclick: () => close(false) }, 'Not now'),
        h('button', { type: 'button', class: 'primary', onclick: () => close(true) }, 'I agree'),
      ),
    );
  }

  private readonly listening = (on: boolean, problem: string | null): void => {
    this.panel.orderBox.setListening(on);
    if (problem) this.panel.tell('note', problem);
  };

  // What happens on the road

  private ended(record: MissionRecord): void {
    this.answer(endingText(record));
    this.keep(record);
  }

  private keep(record: MissionRecord): void {
    this.driven.unshift(record);
    void this.post.add(record);
  }

  private crashed(byEgo: boolean): void {
    this.panel.tell(
      'note',
      byEgo ? 'A collision, by the ego’s fault.' : 'A collision: somebody hit the ego.',
    );
    setTimeout(() => this.drive.crashed && this.anotherScene(), AGAIN_MS);
  }

  // Who drives

  private async choose(driver: string): Promise<void> {
    this.picked = driver;
    this.change({ driver });
    await this.refreshDrivers();
  }

  /** Look which drivers there are now; a newer self of the chosen one takes the wheel at once. */
  private async refreshDrivers(): Promise<void> {
    const list = await fetchPolicies(['highway'], this.wheel.list);
    const chosen = this.picked ?? this.wheel.usualOf(list, this.site.start.run, this.choices.driver);
    const swapped = await this.wheel.update(list, chosen);
    this.panel.setDrivers(this.wheel.choices(), chosen);
    if (!swapped) return;
    this.showFallback();
    if (this.drive.driver) this.panel.tell('note', `At the wheel: ${this.drive.driverName} steps.`);
    else if (!this.drive.fallback) this.panel.tell('note', 'At the wheel: the rule-based expert.');
  }

  private showFallback(): void {
    const { fallback } = this.drive;
    this.panel.setBanner(fallback && `The rule-based ${EXPERT} drives: ${fallback}`);
  }

  // Time and picture

  private frame(now: number): void {
    const began = performance.now();
    const due = this.paused || document.hidden ? 0 : this.clock.due(now);
    if (this.paused || document.hidden) this.clock.restart();
    if (due > 0 && !this.deciding) void this.decide(due);
    this.showRule(now);
    this.paint(now);
    this.stats.frame(performance.now() - began, due);
    requestAnimationFrame((next) => this.frame(next));
  }

  private async decide(times: number): Promise<void> {
    this.deciding = true;
    try {
      for (let n = 0; n < times; n++) {
        await this.drive.decide();
        const rule = this.drive.rules.find((name) => name !== 'range');
        if (rule)
          this.shownRule = {
            name: rule,
            protects: protects(rule, this.drive),
            until: performance.now() + RULE_SHOWN_MS,
          };
      }
    } finally {
      this.deciding = false;
    }
  }

  private showRule(now: number): void {
    if (this.shownRule && now > this.shownRule.until) this.shownRule = null;
    this.alarm += ((this.shownRule?.protects ? 1 : 0) - this.alarm) * 0.12;
    this.panel.show(this.drive, this.shownRule);
  }

  private paint(now: number): void {
    const { road, drive } = this;
    this.view.paint({
      moment: drive.moment(this.paused ? 1 : this.clock.share),
      gap_s: road.value('roads', 'mission_gap_s'),
      showsTarget: road.value('roads', 'mission_lane') !== road.value('vehicles', 'lane'),
      alarm: this.alarm,
      seconds: now / 1000,
    });
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.panel.road;
    if (width > 0 && height > 0)
      this.view.resize({ width, height, ratio: Math.min(window.devicePixelRatio || 1, 2) });
  }
}

function chosen(store: TextStore): Choices {
  const usual: Choices = { vehicles: 20, speaks: false, driver: '', units: 'mph' };
  const check = (value: unknown): Choices | null => {
    if (!isRecord(value)) return null;
    const known = DENSITIES.some(({ value: vehicles }) => vehicles === value.vehicles);
    return {
      vehicles: known ? (value.vehicles as number) : usual.vehicles,
      speaks: value.speaks === true,
      driver: typeof value.driver === 'string' ? value.driver : '',
      units: UNITS.find((units) => units === value.units) ?? usual.units,
    };
  };
  return read(store, 'highway', check, usual);
}
