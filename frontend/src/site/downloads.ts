/** What is being fetched, by name and size: for whoever shows how far it is. */

export interface Download {
  name: string;
  received: number;
  /** In bytes; null where nobody says. */
  total: number | null;
}

export class Downloads {
  /** Told whenever something begins, arrives or ends. */
  onChange: () => void = () => {};
  private readonly running = new Set<Download>();

  get current(): Download[] {
    return [...this.running];
  }

  /** The whole body of an answer, counted as it comes. */
  async read(response: Response, name: string): Promise<ArrayBuffer> {
    const download: Download = { name, received: 0, total: totalOf(response) };
    this.running.add(download);
    this.onChange();
    try {
      return await this.counted(response, download);
    } finally {
      this.running.delete(download);
      this.onChange();
    }
  }

  private async counted(response: Response, download: Download): Promise<ArrayBuffer> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const reader = response.body?.getReader();
    if (!reader) return response.arrayBuffer();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      pieces.push(part.value);
      download.received += part.value.length;
      this.onChange();
    }
    return new Blob(pieces).arrayBuffer();
  }
}

/** How many bytes will come out; of a packed answer only `hotlap play` says so. */
function totalOf({ headers }: Response): number | null {
  const plain = headers.has('Content-Encoding') ? null : headers.get('Content-Length');
  const total = Number(headers.get('X-Decoded-Length') ?? plain ?? 0);
  return total > 0 ? total : null;
}

export const downloads = new Downloads();
