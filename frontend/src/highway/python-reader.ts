/** The reader of a page without a server: Hotlap's own Python, run by Pyodide in a worker that begins when asked to. */
import {
  type Answer,
  type OrderReader,
  ReaderError,
  type ReadingState,
  type SentOrder,
} from './order-reader';
import type { FromWorker, ToWorker } from './python-worker';

/** What is needed of a `Worker`. */
export interface PythonWorker {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToWorker): void;
  terminate(): void;
}

interface Pending<T> {
  resolve(value: T): void;
  reject(problem: ReaderError): void;
}

export class PythonReader implements OrderReader {
  private worker: PythonWorker | null = null;
  private started: Promise<void> | null = null;
  private starting: Pending<void> | null = null;
  /** Orders that Python has and has not answered; it answers one after the other. */
  private readonly asked: Pending<string>[] = [];

  constructor(
    private readonly progress: (state: ReadingState) => void,
    private readonly make: () => PythonWorker = pythonWorker,
  ) {}

  ready(): Promise<void> {
    this.started ??= new Promise((resolve, reject) => {
      this.starting = { resolve, reject };
      this.start();
    });
    return this.started;
  }

  async read(sent: SentOrder): Promise<Answer> {
    await this.ready();
    const text = await new Promise<string>((resolve, reject) => {
      this.asked.push({ resolve, reject });
      this.worker!.postMessage({ order: JSON.stringify(sent) });
    });
    const answer = JSON.parse(text) as Answer & { error?: string };
    if (answer.error !== undefined) throw new ReaderError(answer.error);
    return answer;
  }

  private start(): void {
    this.progress([]);
    this.worker = this.make();
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = ({ message }) => this.fail(message || 'the browser did not start it');
    this.worker.postMessage({ grammar: new URL('data/orders.json', document.baseURI).href });
  }

  private heard(message: FromWorker): void {
    if ('downloads' in message) this.progress(message.downloads);
    else if ('answer' in message) this.asked.shift()?.resolve(message.answer);
    else if ('failed' in message) this.fail(message.failed);
    else {
      this.progress('ready');
      this.starting?.resolve();
    }
  }

  /** Give up for now; whoever asks next begins anew. */
  private fail(reason: string): void {
    const problem = new ReaderError(
      `Orders in words need Python in this page, and it did not start: ${reason.replace(/\.$/, '')}. The buttons work.`,
    );
    this.worker?.terminate();
    this.worker = this.started = null;
    this.progress('asleep');
    this.starting?.reject(problem);
    for (const { reject } of this.asked.splice(0)) reject(problem);
  }
}

function pythonWorker(): PythonWorker {
  return new Worker(new URL('./python-worker.ts', import.meta.url), { type: 'module' }) as PythonWorker;
}
