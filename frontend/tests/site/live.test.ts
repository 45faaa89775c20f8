import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CurvePoint, Live, type LiveListener, liveAddress } from '../../src/site/live';

class Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  closed = false;
  close(): void {
    this.closed = true;
    this.onclose?.({ code: 1000 });
  }
  send(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function watched() {
  const sockets: Socket[] = [];
  const told: { curves: number[][]; runs: string[]; policies: string[]; status: (string | null)[] } = {
    curves: [],
    runs: [],
    policies: [],
    status: [],
  };
  const listener: LiveListener = {
    run: ({ name }) => told.runs.push(name),
    curve: (points) => told.curves.push(points.map(({ step }) => step)),
    policy: ({ key }) => told.policies.push(key),
    status: (text) => told.status.push(text),
  };
  const live = new Live(
    () => 'ws://here/ws/live',
    listener,
    () => {
      const socket = new Socket();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
  );
  return { live, sockets, told };
}

const points = (...steps: number[]) => steps.map((step) => ({ step, seconds: 0 }) as CurvePoint);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a training in progress', () => {
  it('tells its run, its newest driver and its growing curve', () => {
    const { sockets, told } = watched();
    sockets[0]!.send({ type: 'run', run: { name: 'one' } });
    sockets[0]!.send({ type: 'curve', reset: true, points: points(1, 2) });
    sockets[0]!.send({ type: 'curve', reset: false, points: points(3) });
    sockets[0]!.send({ type: 'curve', reset: true, points: points(9) });
    sockets[0]!.send({ type: 'policy', policy: { key: 'new' } });
    expect(told).toMatchObject({ runs: ['one'], policies: ['new'], curves: [[1, 2], [1, 2, 3], [9]] });
  });

  it('is looked for again when the connection is lost, no faster than every two seconds', () => {
    const { sockets, told } = watched();
    sockets[0]!.onclose!({ code: 1006 });
    vi.advanceTimersByTime(1999);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(2000);
    expect(sockets).toHaveLength(2);
    sockets[1]!.onopen!();
    expect(told.status.at(-1)).toBeNull();
  });

  it('says so when there is none', () => {
    const { sockets, told } = watched();
    sockets[0]!.onclose!({ code: 4404 });
    expect(told.status[0]).toMatch(/No training is running/);
  });

  it('is left alone after the player went away', () => {
    const { live, sockets } = watched();
    live.close();
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]!.closed).toBe(true);
  });

  it('is found beside the page', () => {
    expect(liveAddress('http://127.0.0.1:8642/', null)).toBe('ws://127.0.0.1:8642/ws/live');
    expect(liveAddress('https://host/folder/index.html', 'abc')).toBe('wss://host/folder/ws/live?run=abc');
  });
});
