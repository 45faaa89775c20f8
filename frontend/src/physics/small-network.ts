/** The graphs that Hotlap's own trainings export, recognised: scale, dense layers, bounds, a mixture of the outputs. */

import { NETWORK } from './numbers';
import type { Graph, GraphNode } from './onnx-file';

export interface SmallNetwork {
  /** Numbers that go into each layer, and the outputs at the end. */
  sizes: number[];
  /** relu, tanh or elu, between two layers. */
  activation: string;
  /** The weights of each layer, a row per output, then its biases. */
  parameters: Float32Array;
  mean: Float64Array;
  scale: Float64Array;
  clip: number;
  outputLow: Float32Array;
  outputHigh: Float32Array;
  /** How much of each output goes into each action, a row per output. */
  mixing: Float32Array;
  low: Float32Array;
  high: Float32Array;
}

/** A larger network is not small, here and in Python. */
const { most_layers: MOST_LAYERS, most_units: MOST_UNITS, most_inputs: MOST_INPUTS } = NETWORK;
const ACTIVATIONS: Record<string, string> = { Relu: 'relu', Tanh: 'tanh', Elu: 'elu' };

/** The network of a graph; null when the graph is of another kind. */
export function smallNetwork(graph: Graph): SmallNetwork | null {
  try {
    return new Reader(graph).network();
  } catch (error) {
    if (error instanceof OtherGraph) return null;
    throw error;
  }
}

class OtherGraph extends Error {}

interface Layer {
  inputs: number;
  outputs: number;
  weights: Float32Array;
  biases: Float32Array;
}

/** Goes through a chain of operators, each on the result of the one before and on what is stored in the file. */
class Reader {
  private place = 0;
  private last = 'observation';

  constructor(private readonly graph: Graph) {}

  network(): SmallNetwork {
    const scaling = this.scaling();
    const [layers, activation] = this.layers();
    const outputs = layers.at(-1)!.outputs;
    const [outputLow, outputHigh] = this.bounds(outputs);
    const mixed = this.next('MatMul');
    const mixing = mixed ? this.tensor(mixed, 1).values : identity(outputs);
    const [low, high] = mixed ? this.bounds(mixing.length / outputs) : [outputLow, outputHigh];
    if (this.place !== this.graph.nodes.length || this.last !== 'action') throw new OtherGraph();
    return {
      ...this.spread(scaling, layers[0]!.inputs),
      sizes: [layers[0]!.inputs, ...layers.map((layer) => layer.outputs)],
      activation,
      parameters: flat(layers),
      outputLow,
      outputHigh,
      mixing,
      low,
      high,
    };
  }

  /** The next operator if it is this one; null, and nothing taken, if not. */
  private next(...ops: string[]): GraphNode | null {
    const node = this.graph.nodes[this.place];
    if (!node || !ops.includes(node.op) || node.inputs[0] !== this.last) return null;
    this.place += 1;
    this.last = node.output;
    return node;
  }

  private tensor(node: GraphNode, input: number) {
    const found = this.graph.tensors.get(node.inputs[input] ?? '');
    if (!found) throw new OtherGraph();
    return found;
  }

  /** What is taken off an observation, by what it is divided, how far it may be from 0. */
  private scaling() {
    const means: Float32Array[] = [];
    for (let node = this.next('Sub'); node; node = this.next('Sub')) means.push(this.tensor(node, 1).values);
    const divided = this.next('Div');
    const deviations = divided ? this.tensor(divided, 1).values : null;
    const clipped = this.next('Clip');
    const clip = clipped ? this.tensor(clipped, 2).values[0]! : Number.POSITIVE_INFINITY;
    if (clipped && this.tensor(clipped, 1).values[0] !== -clip) throw new OtherGraph();
    return { means, deviations, clip };
  }

  private spread({ means, deviations, clip }: ReturnType<Reader['scaling']>, inputs: number) {
    const fits = [...means, ...(deviations ? [deviations] : [])].every((values) => values.length === inputs);
    if (!fits) throw new OtherGraph();
    const mean = new Float64Array(inputs);
    for (const part of means) for (let k = 0; k < inputs; k++) mean[k]! += part[k]!;
    const scale = Float64Array.from({ length: inputs }, (_, k) => 1 / (deviations?.[k] ?? 1));
    return { mean, scale, clip };
  }

  private layers(): [Layer[], string] {
    const found = [this.layer(this.next('Gemm'))];
    let activation: string | null = null;
    for (
      let node = this.next(...Object.keys(ACTIVATIONS));
      node;
      node = this.next(...Object.keys(ACTIVATIONS))
    ) {
      const usual = (node.attributes.alpha ?? 1) === 1 && (activation ?? node.op) === node.op;
      if (!usual) throw new OtherGraph();
      activation = node.op;
      found.push(this.layer(this.next('Gemm')));
    }
    const chained = found.every((layer, i) => i === 0 || layer.inputs === found[i - 1]!.outputs);
    const isSmall = found.length <= MOST_LAYERS && found.every(({ outputs }) => outputs <= MOST_UNITS);
    if (!chained || !isSmall || found[0]!.inputs > MOST_INPUTS) throw new OtherGraph();
    return [found, ACTIVATIONS[activation ?? 'Relu']!];
  }

  private layer(node: GraphNode | null): Layer {
    if (!node) throw new OtherGraph();
    const { alpha = 1, beta = 1, transA = 0, transB = 0 } = node.attributes;
    const { dims, values } = this.tensor(node, 1);
    const biases = this.tensor(node, 2).values;
    const [outputs, inputs] = transB ? dims : [dims[1], dims[0]];
    if (alpha !== 1 || beta !== 1 || transA !== 0 || dims.length !== 2 || biases.length !== outputs)
      throw new OtherGraph();
    return {
      inputs: inputs!,
      outputs: outputs!,
      weights: transB ? values : transposed(values, outputs!),
      biases,
    };
  }

  private bounds(count: number): [Float32Array, Float32Array] {
    const [floor, ceiling] = [this.next('Max'), this.next('Min')];
    if (!floor || !ceiling) throw new OtherGraph();
    const [low, high] = [this.tensor(floor, 1).values, this.tensor(ceiling, 1).values];
    if (low.length !== count || high.length !== count) throw new OtherGraph();
    return [low, high];
  }
}

/** Rows for columns: a file may have a row per input, and the kernel takes a row per output. */
function transposed(values: Float32Array, columns: number): Float32Array {
  const rows = values.length / columns;
  return values.map((_, i) => values[(i % rows) * columns + Math.floor(i / rows)]!);
}

function identity(size: number): Float32Array {
  return Float32Array.from({ length: size * size }, (_, i) => Number(i % (size + 1) === 0));
}

function flat(layers: Layer[]): Float32Array {
  const all = new Float32Array(
    layers.reduce((sum, { weights, biases }) => sum + weights.length + biases.length, 0),
  );
  let at = 0;
  for (const part of layers.flatMap(({ weights, biases }) => [weights, biases])) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
