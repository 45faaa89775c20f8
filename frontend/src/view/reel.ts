/** Stills and short clips of what is on the screen: ground and cars in one picture, with a line that says what it is. */
import type { Picture } from './picture';

export const CLIP_S = 8;
const FRAMES_PER_S = 30;
const MOST_WIDTH = 1280;
const KINDS = ['video/mp4;codecs=avc1.42E01E', 'video/webm;codecs=vp9', 'video/webm'];

/** A file to save. */
export interface Saved {
  name: string;
  content: Blob;
}

export class Reel {
  private readonly canvas = document.createElement('canvas');
  private readonly pen = this.canvas.getContext('2d')!;
  private recorder: MediaRecorder | null = null;
  private wanted: (() => void) | null = null;

  constructor(
    private readonly picture: Picture,
    /** What is written on every picture. */
    private readonly caption: () => string,
  ) {
    const width = Math.min(MOST_WIDTH, window.innerWidth);
    // Codecs want even numbers.
    this.canvas.width = 2 * Math.round(width / 2);
    this.canvas.height = 2 * Math.round((width * window.innerHeight) / window.innerWidth / 2);
  }

  /** Whether this browser can record. */
  static get canRecord(): boolean {
    return typeof MediaRecorder !== 'undefined' && KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));
  }

  get recording(): boolean {
    return this.recorder !== null;
  }

  /** A frame was drawn: take it along. Only now does a graphics card still have it. */
  afterFrame(): void {
    if (this.recorder || this.wanted) this.copy();
    this.wanted?.();
    this.wanted = null;
  }

  /** The next frame as a picture. */
  async still(): Promise<Saved> {
    await new Promise<void>((done) => {
      this.wanted = done;
    });
    const content = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, 'image/png'));
    if (!content) throw new Error('This browser could not make a picture.');
    return { name: 'hotlap.png', content };
  }

  /** Record from now on until `stop`. */
  record(): Promise<Saved> {
    const kind = KINDS.find((each) => MediaRecorder.isTypeSupported(each))!;
    const pieces: Blob[] = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(FRAMES_PER_S), { mimeType: kind });
    this.recorder = recorder;
    return new Promise((done) => {
      recorder.ondataavailable = ({ data }) => pieces.push(data);
      recorder.onstop = () => {
        const type = kind.split(';')[0]!;
        done({ name: `hotlap.${type.slice('video/'.length)}`, content: new Blob(pieces, { type }) });
      };
      recorder.start();
    });
  }

  stop(): void {
    const { recorder } = this;
    this.recorder = null;
    if (!recorder || recorder.state === 'inactive') return;
    recorder.stop();
    for (const track of recorder.stream.getTracks()) track.stop();
  }

  private copy(): void {
    const { width, height } = this.canvas;
    this.picture.copyTo(this.pen);
    const size = Math.round(height / 26);
    this.pen.font = `700 ${size}px system-ui, sans-serif`;
    this.pen.textBaseline = 'bottom';
    this.pen.lineWidth = size / 5;
    this.pen.strokeStyle = 'rgb(9 12 17 / 80%)';
    this.pen.fillStyle = '#f2f5fa';
    this.pen.strokeText(this.caption(), size, height - size / 2, width - 2 * size);
    this.pen.fillText(this.caption(), size, height - size / 2, width - 2 * size);
  }
}

/** Hand a file to whoever watches. */
export function save({ name, content }: Saved): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
