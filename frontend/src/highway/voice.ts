/** Speaking and listening with what the browser has: the Web Speech API. */
import { read, type TextStore, write } from '../site/storage';

interface Recognition {
  lang: string;
  interimResults: boolean;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }>> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  stop(): void;
}

export type RecognitionMaker = new () => Recognition;

export const CONSENT_TEXT =
  'While you hold the button, your browser listens and turns speech into text. Many browsers do that on their maker’s ' +
  'servers: Chrome sends the audio to Google, Edge to Microsoft, Safari to Apple unless it can do it on the device. ' +
  'Hotlap never gets the audio, only the words, and sends them nowhere but to the “hotlap play” you started, if there is one.';

const REASONS: Record<string, string> = {
  'not-allowed': 'The browser did not allow the microphone.',
  'service-not-allowed': 'The browser does not offer speech recognition on this page.',
  'no-speech': 'Nothing was heard. Hold the button while you speak.',
  'audio-capture': 'No microphone was found.',
  network: 'The browser’s speech service cannot be reached.',
};

/** What this browser calls it, if it has it. */
export function pageRecognition(): RecognitionMaker | null {
  const names = window as unknown as Record<string, RecognitionMaker | undefined>;
  return names.SpeechRecognition ?? names.webkitSpeechRecognition ?? null;
}

export class Ear {
  private recognition: Recognition | null = null;

  constructor(
    private readonly store: TextStore,
    private readonly make: RecognitionMaker | null,
    private readonly heard: (text: string) => void,
    private readonly listening: (on: boolean, problem: string | null) => void,
  ) {}

  /** Why it cannot listen, or null. */
  get obstacle(): string | null {
    return this.make ? null : 'This browser has no speech recognition. Type the order instead.';
  }

  get consented(): boolean {
    return read(this.store, 'voice', (value) => value === true, false);
  }

  consent(): void {
    write(this.store, 'voice', true);
  }

  start(): void {
    if (!this.make || !this.consented || this.recognition) return;
    const recognition = new this.make();
    let problem: string | null = null;
    recognition.lang = 'en-US';
    recognition.interimResults = false;
    recognition.onresult = ({ results }) => this.heard(results[results.length - 1]![0]!.transcript);
    recognition.onerror = ({ error }) => {
      problem = REASONS[error] ?? `Listening failed (${error}).`;
    };
    recognition.onend = () => {
      this.recognition = null;
      this.listening(false, problem);
    };
    this.recognition = recognition;
    recognition.start();
    this.listening(true, null);
  }

  stop(): void {
    this.recognition?.stop();
  }
}

/** Say a sentence, if the browser can; the last one wins. */
export function say(sentence: string): void {
  if (!('speechSynthesis' in window)) return;
  window.speechSynthesis.cancel();
  const words = new SpeechSynthesisUtterance(sentence);
  words.lang = 'en-US';
  window.speechSynthesis.speak(words);
}
