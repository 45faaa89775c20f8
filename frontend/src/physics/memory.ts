/** The memory of a compiled kernel: places are taken one after the other, and seen once it has grown to hold them. */

export type Column = Float64Array | Float32Array | Int32Array | Uint8Array;
export type Columns = Record<string, Column>;

export interface MemoryExports {
  memory: WebAssembly.Memory;
  __heap_base: WebAssembly.Global;
}

export const BYTES: Record<string, number> = { float64: 8, int64: 8, float32: 4, int32: 4, uint8: 1 };
const PAGE_BYTES = 65_536;

export class Memory {
  private next: number;

  constructor(private readonly exports: MemoryExports) {
    this.next = Number(exports.__heap_base.value);
  }

  /** The address of so many free bytes. */
  take(bytes: number): number {
    const address = Math.ceil(this.next / 8) * 8;
    this.next = address + bytes;
    return address;
  }

  /** Grow until all that was taken is there; views from before are of no use afterwards. */
  reserve(): void {
    const missing = this.next - this.exports.memory.buffer.byteLength;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  /** An array in memory; whole numbers of 64 bits are seen as pairs of 32, the low one first. */
  view(dtype: string, address: number, count: number): Column {
    const { buffer } = this.exports.memory;
    if (dtype === 'float64') return new Float64Array(buffer, address, count);
    if (dtype === 'float32') return new Float32Array(buffer, address, count);
    if (dtype === 'int64') return new Int32Array(buffer, address, 2 * count);
    return dtype === 'int32'
      ? new Int32Array(buffer, address, count)
      : new Uint8Array(buffer, address, count);
  }

  /** An address table: one 64-bit number per array. */
  writeTable(at: number, addresses: number[]): void {
    const table = new BigUint64Array(this.exports.memory.buffer, at, addresses.length);
    for (const [number, address] of addresses.entries()) table[number] = BigInt(address);
  }
}
