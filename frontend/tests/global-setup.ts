/** Writes the files of a site once for all tests, with the Python package beside this folder. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HOTLAP = fileURLToPath(new URL('../../.venv/bin/hotlap', import.meta.url));

export default function setup(): (() => void) | undefined {
  if (process.env.HOTLAP_SITE) return undefined;
  if (!existsSync(HOTLAP))
    throw new Error(
      'These tests drive the real physics: run "make setup" first, or set HOTLAP_SITE to a site.',
    );
  const folder = mkdtempSync(join(tmpdir(), 'hotlap-site-'));
  process.env.HOTLAP_SITE = join(folder, 'site');
  // A folder without runs: only what comes with Hotlap, whatever this machine has trained.
  execFileSync(HOTLAP, ['export', 'site', process.env.HOTLAP_SITE, '--root', join(folder, 'runs')], {
    stdio: 'pipe',
  });
  return () => rmSync(folder, { recursive: true, force: true });
}
