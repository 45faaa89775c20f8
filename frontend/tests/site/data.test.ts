import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchPolicies, type PolicyList } from '../../src/site/data';

const listOf = (...worlds: string[]) =>
  ({
    runs: worlds.map((world) => ({ key: world, world })),
    policies: worlds.map((world) => ({ key: `${world}-best`, world })),
    levels: [],
  }) as unknown as PolicyList;

const answering = (answer: () => Response) => vi.stubGlobal('fetch', async () => answer());

afterEach(() => void vi.unstubAllGlobals());

describe('the list of drivers', () => {
  it('has those of one world', async () => {
    answering(() => Response.json({ format: 1, ...listOf('racer', 'highway') }));
    expect(await fetchPolicies(['highway'])).toEqual(listOf('highway'));
  });

  it.each([
    ['does not answer', () => Promise.reject(new TypeError('Failed to fetch')) as never],
    ['answers with an error', () => new Response('', { status: 503 })],
    ['is cut off', () => new Response('{"format": 1, "runs": [')],
  ])('stays as it was when the server %s', async (_, answer) => {
    answering(answer);
    expect(await fetchPolicies(['highway'], listOf('highway'))).toEqual(listOf('highway'));
    expect(await fetchPolicies(['highway'])).toEqual(listOf());
  });
});
