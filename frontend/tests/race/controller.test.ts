import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  advanceController,
  type ControllerState,
  forceFinish,
  NO_SIGNALS,
  newController,
  type Signals,
} from '../../src/race/controller';

interface Row {
  in?: Signals & { forceFinish?: boolean };
  action?: string;
  state: ControllerState;
}

const file = new URL('./golden/race_controller.json.gz', import.meta.url);
const recorded = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, Row[]>;

describe('the recorded race controller', () => {
  it.each(Object.keys(recorded))('is repeated row by row: %s', (name) => {
    const rows = recorded[name]!;
    const state: ControllerState = {
      ...newController(0, false, 30),
      ...rows[0]!.state,
      resumePhase: 'racing',
    };
    for (const [number, row] of rows.entries()) {
      if (number === 0) continue;
      if (row.in!.forceFinish) forceFinish(state);
      else expect(advanceController(state, row.in!), `row ${number}`).toBe(row.action);
      expect(state, `row ${number}`).toMatchObject(row.state);
    }
  });

  it('has every scenario of the recording', () => {
    expect(Object.keys(recorded)).toHaveLength(6);
  });
});

describe('a pause', () => {
  it('in the countdown goes back to the countdown, which has not moved', () => {
    const state = newController(3, true, 30);
    advanceController(state, NO_SIGNALS);
    const before = { ...state };
    advanceController(state, { ...NO_SIGNALS, togglePause: true });
    for (let tick = 0; tick < 100; tick++) advanceController(state, NO_SIGNALS);
    expect(state.phase).toBe('paused');
    advanceController(state, { ...NO_SIGNALS, togglePause: true });
    expect(state).toMatchObject({ phase: 'countdown', countdownTicksLeft: before.countdownTicksLeft });
  });
});
