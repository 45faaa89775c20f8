/** A training in progress: its run, its curve and its newest driver, as they come. */
import { NO_RUN } from '../physics/numbers';
import type { PolicyEntry, RunEntry } from './data';

export interface CurvePoint {
  step: number;
  seconds: number;
  reward?: number | null;
  completion?: number | null;
  best_lap_s?: number | null;
  /** Of the highway: the share of recent missions that were done. */
  success?: number | null;
  evaluation?: Record<string, number | null>;
}

export interface LiveListener {
  run(run: RunEntry): void;
  curve(points: CurvePoint[]): void;
  policy(policy: PolicyEntry): void;
  /** The connection: open, or why it is not. */
  status(text: string | null): void;
}

type Message =
  | { type: 'run'; run: RunEntry }
  | { type: 'curve'; reset: boolean; points: CurvePoint[] }
  | { type: 'policy'; policy: PolicyEntry };

const RETRY_MS = 3000;

export class Live {
  private points: CurvePoint[] = [];
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private closed = false;

  constructor(
    private readonly address: () => string,
    private readonly listener: LiveListener,
    private readonly open: (address: string) => WebSocket = (address) => new WebSocket(address),
  ) {
    this.connect();
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    this.socket?.close();
  }

  /** Ask again for what the address says now. */
  reconnect(): void {
    if (this.timer) clearTimeout(this.timer);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close();
    this.connect();
  }

  private connect(): void {
    const socket = this.open(this.address());
    this.socket = socket;
    socket.onopen = () => this.listener.status(null);
    socket.onmessage = (event) => this.take(String(event.data));
    socket.onclose = (event) => this.lost(event.code);
  }

  private take(text: string): void {
    const message = JSON.parse(text) as Message;
    if (message.type === 'run') this.listener.run(message.run);
    else if (message.type === 'policy') this.listener.policy(message.policy);
    else if (message.type === 'curve') {
      this.points = message.reset ? message.points : [...this.points, ...message.points];
      this.listener.curve(this.points);
    }
  }

  private lost(code: number): void {
    if (this.closed) return;
    const none = 'No training is running. Start one with “hotlap train” and it appears here.';
    this.listener.status(code === NO_RUN ? none : 'The live channel is gone; trying again…');
    this.timer = setTimeout(() => this.connect(), RETRY_MS);
  }
}

export function liveAddress(base: string, run: string | null): string {
  const url = new URL('ws/live', base);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (run) url.searchParams.set('run', run);
  return url.href;
}
