/** Why something did not work, in words for the player. */

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a server that refused something says about it. */
export async function refusalOf(answer: Response): Promise<string> {
  try {
    return ((await answer.json()) as { error: string }).error;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}
