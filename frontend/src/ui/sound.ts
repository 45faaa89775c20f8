/** Every sound, synthesised: engine, tyres, impact, countdown, lap chime, victory. */
import type { Pose } from '../race/poses';

const GEARS = 6;

interface Engine {
  low: OscillatorNode;
  high: OscillatorNode;
  filter: BiquadFilterNode;
  gain: GainNode;
}

interface Noise {
  filter: BiquadFilterNode;
  gain: GainNode;
}

export class Sound {
  private context: AudioContext | null = null;
  private master: GainNode | null = null;
  private engine: Engine | null = null;
  private tyres: Noise | null = null;
  private wind: Noise | null = null;
  private noise: AudioBuffer | null = null;
  private volume = 0.6;
  private muted = false;

  /** Browsers allow sound only after a key or a touch: call this from one. */
  wake(): void {
    if (this.context) {
      void this.context.resume();
      return;
    }
    try {
      this.context = new AudioContext();
    } catch {
      return;
    }
    this.master = this.context.createGain();
    this.master.connect(this.context.destination);
    this.noise = this.newNoise(this.context);
    this.engine = this.newEngine(this.context, this.master);
    this.tyres = this.newNoiseBand(this.context, this.master, 'bandpass', 3);
    this.wind = this.newNoiseBand(this.context, this.master, 'lowpass', 0.7);
    this.setVolume(this.volume, this.muted);
  }

  setVolume(volume: number, muted: boolean): void {
    this.volume = volume;
    this.muted = muted;
    if (this.master && this.context)
      this.master.gain.setTargetAtTime(muted ? 0 : volume, this.context.currentTime, 0.03);
  }

  /** Engine and tyres of the car that is followed; null is silence. */
  drive(pose: Pose | null, topSpeed: number): void {
    if (!this.context || !this.engine || !this.tyres || !this.wind) return;
    const now = this.context.currentTime;
    const pace = pose ? Math.min(1, pose.speed / topSpeed) : 0;
    const gear = Math.min(GEARS - 1, Math.floor(pace * GEARS));
    const revs = 0.35 + 0.65 * (pace * GEARS - gear) * (0.7 + 0.05 * gear) + 0.04 * gear;
    this.engine.low.frequency.setTargetAtTime(38 + 92 * revs, now, 0.04);
    this.engine.high.frequency.setTargetAtTime(76.5 + 185 * revs, now, 0.04);
    this.engine.filter.frequency.setTargetAtTime(260 + 1500 * pace + 900 * (pose?.throttle ?? 0), now, 0.05);
    this.engine.gain.gain.setTargetAtTime(pose ? 0.07 + 0.1 * pose.throttle : 0, now, 0.06);
    const slide = pose?.slide ?? 0;
    const rough = pose && pose.surface !== 0 && pose.speed > 10 ? 0.12 : 0;
    this.tyres.gain.gain.setTargetAtTime(0.22 * slide + rough, now, 0.05);
    this.tyres.filter.frequency.setTargetAtTime(rough ? 320 : 1100 + 450 * slide, now, 0.05);
    this.wind.gain.gain.setTargetAtTime(0.16 * pace ** 2, now, 0.1);
    this.wind.filter.frequency.setTargetAtTime(250 + 900 * pace, now, 0.1);
  }

  beat(last: boolean): void {
    this.tone(last ? 880 : 440, 0, last ? 0.5 : 0.18, 'square', 0.12);
  }

  lap(best: boolean): void {
    const notes = best ? [659, 880, 1319] : [659, 784];
    notes.forEach((note, i) => {
      this.tone(note, i * 0.09, 0.28, 'triangle', 0.2);
    });
  }

  victory(): void {
    [523, 659, 784, 1047, 784, 1047].forEach((note, i) => {
      this.tone(note, i * 0.12, 0.35, 'triangle', 0.22);
    });
  }

  defeat(): void {
    [440, 370, 311].forEach((note, i) => {
      this.tone(note, i * 0.18, 0.4, 'triangle', 0.16);
    });
  }

  impact(speed: number): void {
    if (!this.context || !this.master || !this.noise) return;
    const now = this.context.currentTime;
    const source = this.context.createBufferSource();
    source.buffer = this.noise;
    const filter = this.context.createBiquadFilter();
    filter.type = 'lowpass';
    filter.frequency.setValueAtTime(200 + 12 * speed, now);
    const gain = this.context.createGain();
    gain.gain.setValueAtTime(Math.min(0.6, 0.1 + speed / 220), now);
    gain.gain.exponentialRampToValueAtTime(0.001, now + 0.22);
    source.connect(filter).connect(gain).connect(this.master);
    source.start(now);
    source.stop(now + 0.25);
  }

  private tone(hertz: number, delay: number, length: number, type: OscillatorType, loud: number): void {
    if (!this.context || !this.master) return;
    const from = this.context.currentTime + delay;
    const oscillator = this.context.createOscillator();
    oscillator.type = type;
    oscillator.frequency.value = hertz;
    const gain = this.context.createGain();
    gain.gain.setValueAtTime(0.0001, from);
    gain.gain.linearRampToValueAtTime(loud, from + 0.012);
    gain.gain.exponentialRampToValueAtTime(0.0005, from + length);
    oscillator.connect(gain).connect(this.master);
    oscillator.start(from);
    oscillator.stop(from + length + 0.05);
  }

  private newNoise(context: AudioContext): AudioBuffer {
    const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
    return buffer;
  }

  private newEngine(context: AudioContext, out: AudioNode): Engine {
    const filter = context.createBiquadFilter();
    filter.type = 'lowpass';
    const gain = context.createGain();
    gain.gain.value = 0;
    const low = context.createOscillator();
    const high = context.createOscillator();
    low.type = 'sawtooth';
    high.type = 'square';
    const quiet = context.createGain();
    quiet.gain.value = 0.35;
    low.connect(filter);
    high.connect(quiet).connect(filter);
    filter.connect(gain).connect(out);
    low.start();
    high.start();
    return { low, high, filter, gain };
  }

  /** Noise through a filter, silent until it is wanted: tyres, wind. */
  private newNoiseBand(
    context: AudioContext,
    out: AudioNode,
    type: BiquadFilterType,
    sharpness: number,
  ): Noise {
    const source = context.createBufferSource();
    source.buffer = this.noise;
    source.loop = true;
    const filter = context.createBiquadFilter();
    filter.type = type;
    filter.Q.value = sharpness;
    const gain = context.createGain();
    gain.gain.value = 0;
    source.connect(filter).connect(gain).connect(out);
    source.start();
    return { filter, gain };
  }
}
