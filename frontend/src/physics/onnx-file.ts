/** Reads the graph of an ONNX file: as much of protobuf as that takes. */

export interface GraphNode {
  op: string;
  inputs: string[];
  output: string;
  /** Numbers only; other attributes are left out. */
  attributes: Record<string, number>;
}

export interface GraphTensor {
  dims: number[];
  values: Float32Array;
}

export interface Graph {
  nodes: GraphNode[];
  /** What is stored in the file, by name. */
  tensors: Map<string, GraphTensor>;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
const FLOAT = 1;

interface Field {
  number: number;
  /** Of whole numbers. */
  value: number;
  /** Of everything else. */
  bytes: Uint8Array;
}

/** The graph of a model; a file that is none throws a RangeError. */
export function readGraph(file: Uint8Array): Graph {
  const graph: Graph = { nodes: [], tensors: new Map() };
  for (const field of fields(only(file, 7))) {
    if (field.number === 1) graph.nodes.push(readNode(field.bytes));
    if (field.number === 5) readTensor(field.bytes, graph.tensors);
  }
  return graph;
}

function only(message: Uint8Array, number: number): Uint8Array {
  for (const field of fields(message)) if (field.number === number) return field.bytes;
  throw new RangeError(`there is no field ${number}`);
}

function readNode(message: Uint8Array): GraphNode {
  const node: GraphNode = { op: '', inputs: [], output: '', attributes: {} };
  for (const { number, bytes } of fields(message)) {
    if (number === 1) node.inputs.push(text(bytes));
    else if (number === 2) node.output = text(bytes);
    else if (number === 4) node.op = text(bytes);
    else if (number === 5) readAttribute(bytes, node.attributes);
  }
  return node;
}

function readAttribute(message: Uint8Array, attributes: Record<string, number>): void {
  let name = '';
  let found: number | null = null;
  for (const { number, value, bytes } of fields(message)) {
    if (number === 1) name = text(bytes);
    else if (number === 2) found = floats(bytes)[0] ?? null;
    else if (number === 3) found = value;
  }
  if (found !== null) attributes[name] = found;
}

/** Keeps a tensor of single precision; others are left out, and whoever needs one finds it missing. */
function readTensor(message: Uint8Array, tensors: Map<string, GraphTensor>): void {
  const dims: number[] = [];
  let [name, type] = ['', 0];
  let values = new Float32Array();
  for (const { number, value, bytes } of fields(message)) {
    if (number === 1) dims.push(...(bytes.length > 0 ? varints(bytes) : [value]));
    else if (number === 2) type = value;
    else if (number === 4 || number === 9) values = floats(bytes);
    else if (number === 8) name = text(bytes);
  }
  const count = dims.reduce((product, dim) => product * dim, 1);
  if (type === FLOAT && count === values.length) tensors.set(name, { dims, values });
}

function* fields(message: Uint8Array): Generator<Field> {
  let at = 0;
  const nothing = new Uint8Array();
  while (at < message.length) {
    const [key, after] = varint(message, at);
    const number = key >>> 3;
    const kind = key & 7;
    at = after;
    if (kind === VARINT) {
      const [value, next] = varint(message, at);
      at = next;
      yield { number, value, bytes: nothing };
    } else {
      const [size, from] = kind === BYTES ? varint(message, at) : [fixedSize(kind), at];
      at = from + size;
      if (at > message.length) throw new RangeError('the file ends too early');
      yield { number, value: 0, bytes: message.subarray(from, at) };
    }
  }
}

function fixedSize(kind: number): number {
  if (kind === FIXED32) return 4;
  if (kind === FIXED64) return 8;
  throw new RangeError('this is no ONNX file');
}

/** A number written seven bits to a byte, lowest first, and where it ends. */
function varint(message: Uint8Array, at: number): [number, number] {
  let [value, scale] = [0, 1];
  for (let place = at; place < Math.min(message.length, at + 10); place++) {
    const byte = message[place]!;
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) return [value, place + 1];
  }
  throw new RangeError('the file ends too early');
}

function varints(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [value, next] = varint(bytes, at);
    found.push(value);
    at = next;
  }
  return found;
}

function floats(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  return new Float32Array(bytes.slice().buffer, 0, Math.floor(bytes.length / 4));
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
