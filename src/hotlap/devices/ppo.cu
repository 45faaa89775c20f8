// Proximal policy optimisation of two small networks on a GPU: acting, judging, advantages, gradients, Adam.
//
// A block takes 64 samples through one whole network in shared memory and keeps the gradients of all its tiles in
// registers. Sums over blocks are added in a fixed order, so the same seed gives the same bytes on the same GPU.
// Compiled for one shape of network: INPUTS, HIDDEN (both layers; a multiple of 16), OUTPUTS, ACTIVATION.
//
// Parameters are flat, as hotlap.learning has them: policy, value network, log_std; of each network three layers of
// weights (output, input) and biases. Lines of shared memory hold one feature of all samples of a tile, four floats
// apart from a multiple of 32, so that neighbouring threads find neighbouring lines in different banks.

#define THREADS 256
#define ROWS 64
#define LINE (ROWS + 4)
#define UNITS (HIDDEN / 16)
#define PADDED ((INPUTS + 15) / 16 * 16)
#define COLUMNS (PADDED / 16)
#define FIRST_STRIDE (PADDED + 4)
#define SECOND_STRIDE (HIDDEN + 4)
#define SHARES (THREADS / ROWS)
#define NETWORK(outputs) (HIDDEN * (INPUTS + 1) + HIDDEN * (HIDDEN + 1) + (outputs) * (HIDDEN + 1))
#define POLICY_COUNT NETWORK(OUTPUTS)
#define VALUE_COUNT NETWORK(1)
#define SPREAD_AT (POLICY_COUNT + VALUE_COUNT)
#define COUNT (SPREAD_AT + OUTPUTS)
#define FIGURES 4
#define PARTIAL (COUNT + FIGURES)
#define PARTS 16  // of a batch, whose moments are added up apart
#define HALF_LOG_TAU 0.91893853320467274f
#define LEAST_SPREAD 1e-8
#define FIRST_DECAY 0.9f
#define SECOND_DECAY 0.999f
#define TINY 1e-5f

extern __shared__ __align__(16) float room[];

// Where everything lies in shared memory.
#define FIRST_AT 0
#define SECOND_AT (FIRST_AT + HIDDEN * FIRST_STRIDE)
#define LAST_AT (SECOND_AT + HIDDEN * SECOND_STRIDE)
#define BIASES_AT (LAST_AT + OUTPUTS * HIDDEN)
#define SEEN_AT (BIASES_AT + 2 * HIDDEN + (OUTPUTS + 3) / 4 * 4)
#define LOWER_AT (SEEN_AT + PADDED * LINE)
#define UPPER_AT (LOWER_AT + HIDDEN * LINE)
#define DELTA_AT (UPPER_AT + HIDDEN * LINE)
#define SLOPES_AT (DELTA_AT + HIDDEN * LINE)
#define SUMS_AT (SLOPES_AT + 2 * OUTPUTS * LINE)
#define SAMPLES_AT (SUMS_AT + SHARES * OUTPUTS * LINE)
#define ROOM (SAMPLES_AT + ROWS)

__device__ float activated(float x) {
#if ACTIVATION == 0
    return fmaxf(x, 0.0f);
#elif ACTIVATION == 1
    return tanhf(x);
#else
    return x > 0.0f ? x : expm1f(x);
#endif
}

__device__ float slope_at(float after) {
#if ACTIVATION == 0
    return after > 0.0f ? 1.0f : 0.0f;
#elif ACTIVATION == 1
    return 1.0f - after * after;
#else
    return after > 0.0f ? 1.0f : after + 1.0f;
#endif
}

// Which units and samples of a tile a thread works on: units unit, unit + 16, …, and samples 4 * quad to 4 * quad + 3.
struct Place {
    int unit, quad;
};

__device__ Place place_of(int thread) {
    int lane = thread % 32, warp = thread / 32;
    return {lane / 8 + 4 * (warp / 2), lane % 8 + 8 * (warp % 2)};
}

__device__ float4 four(const float* at) { return *reinterpret_cast<const float4*>(at); }

__device__ void put_four(float* at, float4 values) { *reinterpret_cast<float4*>(at) = values; }

__device__ void add_scaled(float* sums, float by, float4 values) {
    sums[0] += by * values.x;
    sums[1] += by * values.y;
    sums[2] += by * values.z;
    sums[3] += by * values.w;
}

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// Copy a network's parameters to shared memory; inputs that only fill up a line have weights of 0.
template <int OUTS>
__device__ void load_network(const float* parameters, int thread) {
    for (int i = thread; i < HIDDEN * FIRST_STRIDE; i += THREADS) {
        int unit = i / FIRST_STRIDE, input = i % FIRST_STRIDE;
        room[FIRST_AT + i] = input < INPUTS ? parameters[unit * INPUTS + input] : 0.0f;
    }
    const float* second = parameters + HIDDEN * (INPUTS + 1);
    for (int i = thread; i < HIDDEN * HIDDEN; i += THREADS) {
        room[SECOND_AT + i / HIDDEN * SECOND_STRIDE + i % HIDDEN] = second[i];
    }
    const float* last = second + HIDDEN * (HIDDEN + 1);
    for (int i = thread; i < OUTS * HIDDEN; i += THREADS) room[LAST_AT + i] = last[i];
    for (int i = thread; i < HIDDEN; i += THREADS) {
        room[BIASES_AT + i] = parameters[HIDDEN * INPUTS + i];
        room[BIASES_AT + HIDDEN + i] = second[HIDDEN * HIDDEN + i];
    }
    if (thread < OUTS) room[BIASES_AT + 2 * HIDDEN + thread] = last[OUTS * HIDDEN + thread];
    for (int i = thread; i < (PADDED - INPUTS) * LINE; i += THREADS) room[SEEN_AT + INPUTS * LINE + i] = 0.0f;
}

// One layer of a tile: lines of inputs in, lines of activated units out.
template <int DEPTH, int STRIDE>
__device__ void layer_forward(const float* weights, const float* biases, const float* source, float* out, Place at) {
    float sums[UNITS][4];
    for (int j = 0; j < UNITS; j++) {
        for (int q = 0; q < 4; q++) sums[j][q] = biases[at.unit + 16 * j];
    }
#pragma unroll 2
    for (int k = 0; k < DEPTH; k += 4) {
        float4 x0 = four(source + k * LINE + 4 * at.quad), x1 = four(source + (k + 1) * LINE + 4 * at.quad);
        float4 x2 = four(source + (k + 2) * LINE + 4 * at.quad), x3 = four(source + (k + 3) * LINE + 4 * at.quad);
        for (int j = 0; j < UNITS; j++) {
            float4 w = four(weights + (at.unit + 16 * j) * STRIDE + k);
            add_scaled(sums[j], w.x, x0);
            add_scaled(sums[j], w.y, x1);
            add_scaled(sums[j], w.z, x2);
            add_scaled(sums[j], w.w, x3);
        }
    }
    for (int j = 0; j < UNITS; j++) {
        const float* sum = sums[j];
        float4 done = {activated(sum[0]), activated(sum[1]), activated(sum[2]), activated(sum[3])};
        put_four(out + (at.unit + 16 * j) * LINE + 4 * at.quad, done);
    }
}

// Take a tile that was seen through a network; the outputs of sample `row` are summed up by output_of.
template <int OUTS>
__device__ void forward(int thread) {
    Place at = place_of(thread);
    layer_forward<PADDED, FIRST_STRIDE>(room + FIRST_AT, room + BIASES_AT, room + SEEN_AT, room + LOWER_AT, at);
    __syncthreads();
    const float* biases = room + BIASES_AT + HIDDEN;
    layer_forward<HIDDEN, SECOND_STRIDE>(room + SECOND_AT, biases, room + LOWER_AT, room + UPPER_AT, at);
    __syncthreads();
    int row = thread % ROWS, share = thread / ROWS;
    float sums[OUTS];
    for (int a = 0; a < OUTS; a++) sums[a] = 0.0f;
    for (int k = share * HIDDEN / SHARES; k < (share + 1) * HIDDEN / SHARES; k++) {
        float x = room[UPPER_AT + k * LINE + row];
        for (int a = 0; a < OUTS; a++) sums[a] += room[LAST_AT + a * HIDDEN + k] * x;
    }
    for (int a = 0; a < OUTS; a++) room[SUMS_AT + (share * OUTS + a) * LINE + row] = sums[a];
    __syncthreads();
}

template <int OUTS>
__device__ float output_of(int row, int a) {
    float total = room[BIASES_AT + 2 * HIDDEN + a];
    for (int share = 0; share < SHARES; share++) total += room[SUMS_AT + (share * OUTS + a) * LINE + row];
    return total;
}

// Random numbers as a function of a counter: Philox-4x32-10, as in hotlap.philox.
struct Words {
    unsigned int w0, w1, w2, w3;
};

__device__ Words philox(Words c, unsigned int k0, unsigned int k1) {
    for (int i = 0; i < 10; i++) {
        unsigned long long first = 0xD2511F53ull * c.w0, second = 0xCD9E8D57ull * c.w2;
        c = {(unsigned int)(second >> 32) ^ c.w1 ^ k0, (unsigned int)second,
             (unsigned int)(first >> 32) ^ c.w3 ^ k1, (unsigned int)first};
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

// Two standard normal numbers from two words, by Box and Muller.
__device__ void normals(unsigned int a, unsigned int b, float* out) {
    float radius = sqrtf(-2.0f * logf(((float)(a >> 8) + 1.0f) * 5.9604644775390625e-8f));
    float angle = (float)(b >> 8) * (6.283185307179586f * 5.9604644775390625e-8f);
    out[0] = radius * cosf(angle);
    out[1] = radius * sinf(angle);
}

// Load 64 rows, scaled as the networks see them, into lines; rows beyond the last are 0.
struct Scales {
    const float *mean, *scale;
    float clip;
};

__device__ void load_scaled(const float* rows, int first, int count, Scales scales, float* kept, int thread) {
    long long begin = (long long)first * INPUTS;
    for (int i = thread; i < ROWS * INPUTS; i += THREADS) {
        int row = i / INPUTS, input = i % INPUTS;
        float seen = 0.0f;
        if (first + row < count) {
            seen = (rows[begin + i] - scales.mean[input]) * scales.scale[input];
            seen = fminf(fmaxf(seen, -scales.clip), scales.clip);
            if (kept != nullptr) kept[begin + i] = seen;
        }
        room[SEEN_AT + input * LINE + row] = seen;
    }
}

struct Acting {
    const float* observation;  // (cars, INPUTS)
    const float *mean, *scale, *low, *high;
    const float* mixing;      // (OUTPUTS, 3)
    const long long* seed;
    float *raw, *seen, *actions, *log_probs;  // of this tick
    double* controls;                         // (3, cars), of the world
};

// One tick of the policy: scale what is seen, choose actions, draw what they stray by, set the controls.
extern "C" __global__ void __launch_bounds__(THREADS)
    act(Acting it, const float* parameters, float clip, int tick, int cars) {
    int thread = threadIdx.x, first = blockIdx.x * ROWS;
    load_network<OUTPUTS>(parameters, thread);
    load_scaled(it.observation, first, cars, {it.mean, it.scale, clip}, it.seen, thread);
    for (int i = thread; i < ROWS * INPUTS && first * INPUTS + i < cars * INPUTS; i += THREADS) {
        it.raw[first * INPUTS + i] = it.observation[first * INPUTS + i];
    }
    __syncthreads();
    forward<OUTPUTS>(thread);
    int car = first + thread;
    if (thread >= ROWS || car >= cars) return;
    unsigned long long seed = (unsigned long long)it.seed[0];
    float noise[(OUTPUTS + 3) / 4 * 4], controls[3] = {0.0f, 0.0f, 0.0f}, log_prob = 0.0f;
    for (int a = 0; a < OUTPUTS; a += 4) {
        Words drawn = philox({(unsigned int)car, (unsigned int)tick, (unsigned int)a, 0u}, (unsigned int)seed,
                             (unsigned int)(seed >> 32));
        normals(drawn.w0, drawn.w1, noise + a);
        normals(drawn.w2, drawn.w3, noise + a + 2);
    }
    for (int a = 0; a < OUTPUTS; a++) {
        float log_std = parameters[SPREAD_AT + a];
        float action = output_of<OUTPUTS>(thread, a) + expf(log_std) * noise[a];
        it.actions[car * OUTPUTS + a] = action;
        log_prob -= 0.5f * noise[a] * noise[a] + log_std + HALF_LOG_TAU;
        for (int c = 0; c < 3; c++) controls[c] += action * it.mixing[a * 3 + c];
    }
    it.log_probs[car] = log_prob;
    for (int c = 0; c < 3; c++) {
        float within = fminf(fmaxf(controls[c], it.low[c]), it.high[c]);  // what is no number becomes the lower bound
        it.controls[c * cars + car] = (double)within;
    }
}

struct Column {
    const char* source;
    char* kept;
    long long size, cars;  // bytes of an element; so many cars are kept
};

struct Recorded {
    const float* reward;
    const unsigned char *terminated, *truncated;
    const float* final_observation;
    const Column* columns;
    float *rewards, *ended, *cut, *final;  // of this tick
};

// What a tick of the world gave: rewards, ends, the last that was seen where an episode was cut off, watched columns.
extern "C" __global__ void __launch_bounds__(THREADS) record(Recorded it, int column_count, int tick, int cars) {
    int car = blockIdx.x * THREADS + threadIdx.x;
    if (car >= cars) return;
    bool terminated = it.terminated[car], cut = it.truncated[car] && !terminated;
    it.rewards[car] = it.reward[car];
    it.ended[car] = terminated || cut ? 1.0f : 0.0f;
    it.cut[car] = cut ? 1.0f : 0.0f;
    if (cut) {
        for (int i = 0; i < INPUTS; i++) it.final[car * INPUTS + i] = it.final_observation[car * INPUTS + i];
    }
    for (int number = 0; number < column_count; number++) {
        Column column = it.columns[number];
        if (car >= column.cars) continue;
        long long at = tick * column.cars + car;
        if (column.size == 8) ((long long*)column.kept)[at] = ((const long long*)column.source)[car];
        if (column.size == 4) ((int*)column.kept)[at] = ((const int*)column.source)[car];
        if (column.size == 1) column.kept[at] = column.source[car];
    }
}

// Values of rows, scaled on the way where they are raw; where `only` is given, rows whose mark is 0 may be left out.
extern "C" __global__ void __launch_bounds__(THREADS)
    value(const float* parameters, const float* rows, Scales scales, const float* only, float* values, int count) {
    int thread = threadIdx.x;
    load_network<1>(parameters + POLICY_COUNT, thread);
    for (int first = blockIdx.x * ROWS; first < count; first += gridDim.x * ROWS) {
        bool wanted = only == nullptr || (thread < ROWS && first + thread < count && only[first + thread] != 0.0f);
        if (!__syncthreads_or(wanted)) continue;
        load_scaled(rows, first, count, scales, nullptr, thread);
        __syncthreads();
        forward<1>(thread);
        if (thread < ROWS && first + thread < count) values[first + thread] = output_of<1>(thread, 0);
    }
}

// Discounted sums of rewards after every tick, for the spread that rewards are scaled by.
extern "C" __global__ void __launch_bounds__(THREADS)
    discount(const float* rewards, const float* ended, float* running, float* sums, float gamma, int ticks, int cars) {
    int car = blockIdx.x * THREADS + threadIdx.x;
    if (car >= cars) return;
    float sum = running[car];
#pragma unroll 8
    for (int tick = 0; tick < ticks; tick++) {
        sum = sum * gamma + rewards[tick * cars + car];
        sums[tick * cars + car] = sum;
        sum *= 1.0f - ended[tick * cars + car];
    }
    running[car] = sum;
}

struct Valued {
    const float *rewards, *ended, *cut, *values, *cut_values, *last_values, *reward_scale;
    float *advantages, *returns;
};

// Generalised advantage estimation, one thread for each car; an episode that was cut off would have been worth more.
extern "C" __global__ void __launch_bounds__(THREADS)
    estimate(Valued it, float gamma, float lambda, float clip, int ticks, int cars) {
    int car = blockIdx.x * THREADS + threadIdx.x;
    if (car >= cars) return;
    float following = it.last_values[car], advantage = 0.0f, by = it.reward_scale[0];
#pragma unroll 8
    for (int tick = ticks - 1; tick >= 0; tick--) {
        int at = tick * cars + car;
        float reward = fminf(fmaxf(it.rewards[at] * by, -clip), clip), goes_on = 1.0f - it.ended[at];
        if (it.cut[at] != 0.0f) reward += gamma * it.cut_values[at];
        float value = it.values[at];
        advantage = reward + gamma * following * goes_on - value + gamma * lambda * goes_on * advantage;
        it.advantages[at] = advantage;
        it.returns[at] = advantage + value;
        following = value;
    }
}

// Sums of some columns and of their squares, as far as they are from what was thought their mean, in parts.
extern "C" __global__ void __launch_bounds__(THREADS)
    add_up(const float* rows, const double* mean, double* parts, int columns, int count) {
    int groups = THREADS / columns, column = threadIdx.x % columns, group = threadIdx.x / columns;
    double sum = 0.0, squares = 0.0;
    if (group < groups) {
        for (long long row = blockIdx.x * groups + group; row < count; row += gridDim.x * groups) {
            double apart = rows[row * columns + column] - mean[column];
            sum += apart;
            squares += apart * apart;
        }
    }
    double* sums = (double*)room;
    sums[threadIdx.x] = sum;
    sums[THREADS + threadIdx.x] = squares;
    __syncthreads();
    if (group > 0) return;
    for (int other = 1; other < groups; other++) {
        sum += sums[other * columns + column];
        squares += sums[THREADS + other * columns + column];
    }
    parts[(blockIdx.x * columns + column) * 2] = sum;
    parts[(blockIdx.x * columns + column) * 2 + 1] = squares;
}

// The place of a number below 2^bits in a shuffle of them: every step can be undone, so no two share a place.
__device__ unsigned int shuffled(unsigned int x, int bits, Words key) {
    unsigned int mask = bits < 32 ? (1u << bits) - 1u : 0xFFFFFFFFu;
    int half = bits / 2 + 1;
    x = (x * (key.w0 | 1u) + key.w1) & mask;
    x ^= x >> half;
    x = (x * 0x9E3779B1u + key.w2) & mask;
    x ^= x >> half;
    x = (x * (key.w3 | 1u) + key.w0) & mask;
    x ^= x >> half;
    x = (x * 0x85EBCA77u + key.w1) & mask;
    return x ^ x >> half;
}

// The order of the samples in every pass, and sums over the advantages of each part of each batch.
extern "C" __global__ void __launch_bounds__(THREADS)
    shuffle(const long long* seed, const float* advantages, int* order, double* moments, int batch, int rows) {
    int part = blockIdx.x, number = blockIdx.y, pass = blockIdx.z, thread = threadIdx.x;
    int first = number * batch, size = min(batch, rows - first), bits = 1;
    while (bits < 31 && (1 << bits) < rows) bits++;
    unsigned long long drawn_by = (unsigned long long)seed[0];
    Words key = philox({(unsigned int)pass, 0u, 0u, 1u}, (unsigned int)drawn_by, (unsigned int)(drawn_by >> 32));
    double sum = 0.0, squares = 0.0;
    for (int i = part * THREADS + thread; i < size; i += PARTS * THREADS) {
        unsigned int sample = shuffled((unsigned int)(first + i), bits, key);
        while (sample >= (unsigned int)rows) sample = shuffled(sample, bits, key);
        order[(long long)pass * rows + first + i] = (int)sample;
        double advantage = advantages[sample];
        sum += advantage;
        squares += advantage * advantage;
    }
    double* sums = (double*)room;
    sums[thread] = sum;
    sums[THREADS + thread] = squares;
    for (int apart = THREADS / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (thread < apart) {
            sums[thread] += sums[thread + apart];
            sums[THREADS + thread] += sums[THREADS + thread + apart];
        }
    }
    if (thread == 0) {
        double* own = moments + ((pass * gridDim.y + number) * PARTS + part) * 2;
        own[0] = sums[0];
        own[1] = sums[THREADS];
    }
}

struct Lesson {
    const float *seen, *actions, *log_probs, *advantages, *returns;
    const int* order;       // of this batch
    const double* moments;  // (PARTS, 2) of its advantages
    const float *parameters, *clip_range;
    float* partial;  // (blocks, PARTIAL)
    float vf_coef;
    int size;
};

// What a thread keeps of all its tiles.
struct Sums {
    float first[UNITS][COLUMNS], second[UNITS][UNITS], last, biases[3], figures[3];
};

__device__ void load_samples(const Lesson& it, int first, int thread) {
    int* samples = (int*)(room + SAMPLES_AT);
    if (thread < ROWS) samples[thread] = first + thread < it.size ? it.order[first + thread] : -1;
    __syncthreads();
    for (int i = thread; i < ROWS * INPUTS; i += THREADS) {
        int row = i / INPUTS, input = i % INPUTS, sample = samples[row];
        room[SEEN_AT + input * LINE + row] = sample < 0 ? 0.0f : it.seen[(long long)sample * INPUTS + input];
    }
    __syncthreads();
}

// Slopes of PPO's clipped objective with respect to the means of a sample's actions and, below them, their spread.
__device__ void write_policy_slopes(const Lesson& it, int row, double mean, double scale, Sums& sums) {
    int sample = ((int*)(room + SAMPLES_AT))[row];
    float apart[OUTPUTS], narrow[OUTPUTS], log_prob = 0.0f, pull = 0.0f;
    for (int a = 0; a < OUTPUTS; a++) apart[a] = narrow[a] = 0.0f;
    if (sample >= 0) {
        for (int a = 0; a < OUTPUTS; a++) {
            float log_std = it.parameters[SPREAD_AT + a];
            narrow[a] = expf(-log_std);
            apart[a] = (it.actions[(long long)sample * OUTPUTS + a] - output_of<OUTPUTS>(row, a)) * narrow[a];
            log_prob -= 0.5f * apart[a] * apart[a] + log_std + HALF_LOG_TAU;
        }
        float advantage = (float)((it.advantages[sample] - mean) * scale);
        float change = log_prob - it.log_probs[sample], ratio = expf(change), range = it.clip_range[0];
        float clipped = fminf(fmaxf(ratio, 1.0f - range), 1.0f + range);
        pull = advantage * ratio <= advantage * clipped ? -advantage * ratio / (float)it.size : 0.0f;
        sums.figures[0] -= fminf(advantage * ratio, advantage * clipped);
        sums.figures[1] += ratio - 1.0f - change;
        sums.figures[2] += fabsf(ratio - 1.0f) > range ? 1.0f : 0.0f;
    }
    for (int a = 0; a < OUTPUTS; a++) {
        room[SLOPES_AT + a * LINE + row] = pull * apart[a] * narrow[a];
        room[SLOPES_AT + (OUTPUTS + a) * LINE + row] = pull * (apart[a] * apart[a] - 1.0f);
    }
}

// Slopes of the squared error of a sample's value.
__device__ void write_value_slopes(const Lesson& it, int row, Sums& sums) {
    int sample = ((int*)(room + SAMPLES_AT))[row];
    float error = sample < 0 ? 0.0f : output_of<1>(row, 0) - it.returns[sample];
    sums.figures[0] += error * error;
    room[SLOPES_AT + row] = 2.0f * it.vf_coef * error / (float)it.size;
}

// Add up, over the samples of a tile, the products of two sets of lines: the gradient of the weights between them.
template <int ACROSS>
__device__ void add_products(float (&sums)[UNITS][ACROSS], const float* deltas, const float* sources, Place at) {
#pragma unroll 2
    for (int row = 0; row < ROWS; row += 4) {
        float4 source[ACROSS];
        for (int i = 0; i < ACROSS; i++) source[i] = four(sources + (at.quad + 16 * i) * LINE + row);
        for (int j = 0; j < UNITS; j++) {
            float4 delta = four(deltas + (at.unit + 16 * j) * LINE + row);
            for (int i = 0; i < ACROSS; i++) sums[j][i] += dot(delta, source[i]);
        }
    }
}

// The sum over every fourth sample of a line; the quarters are put together at the end.
__device__ float quarter_of_line(const float* line, int quarter) {
    float total = 0.0f;
    for (int row = quarter; row < ROWS; row += 4) total += line[row];
    return total;
}

// Slopes of what was activated, taken back to what came before.
__device__ float4 through(const float* slopes, float4 after) {
    return {slopes[0] * slope_at(after.x), slopes[1] * slope_at(after.y), slopes[2] * slope_at(after.z),
            slopes[3] * slope_at(after.w)};
}

// From slopes of the outputs back through the network, adding up the gradients of its parameters.
template <int OUTS, int SPREADS>
__device__ void backward(int thread, Sums& sums) {
    Place at = place_of(thread);
    for (int j = 0; j < UNITS; j++) {
        int unit = at.unit + 16 * j, place = unit * LINE + 4 * at.quad;
        float slopes[4] = {};
        for (int a = 0; a < OUTS; a++) {
            add_scaled(slopes, room[LAST_AT + a * HIDDEN + unit], four(room + SLOPES_AT + a * LINE + 4 * at.quad));
        }
        put_four(room + DELTA_AT + place, through(slopes, four(room + UPPER_AT + place)));
    }
    if (thread < OUTS * HIDDEN) {
        const float *delta = room + SLOPES_AT + thread / HIDDEN * LINE, *source = room + UPPER_AT + thread % HIDDEN * LINE;
        for (int row = 0; row < ROWS; row += 4) sums.last += dot(four(delta + row), four(source + row));
    }
    if (thread < 4 * (OUTS + SPREADS)) {
        sums.biases[2] += quarter_of_line(room + SLOPES_AT + thread / 4 * LINE, thread % 4);
    }
    __syncthreads();
    add_products<UNITS>(sums.second, room + DELTA_AT, room + LOWER_AT, at);
    if (thread < 4 * HIDDEN) sums.biases[1] += quarter_of_line(room + DELTA_AT + thread / 4 * LINE, thread % 4);
    float slopes[UNITS][4] = {};
#pragma unroll 4
    for (int k = 0; k < HIDDEN; k++) {
        float4 delta = four(room + DELTA_AT + k * LINE + 4 * at.quad);
        for (int j = 0; j < UNITS; j++) add_scaled(slopes[j], room[SECOND_AT + k * SECOND_STRIDE + at.unit + 16 * j], delta);
    }
    // What the upper layer gave is used up: the slopes of the lower one go there.
    for (int j = 0; j < UNITS; j++) {
        int place = (at.unit + 16 * j) * LINE + 4 * at.quad;
        put_four(room + UPPER_AT + place, through(slopes[j], four(room + LOWER_AT + place)));
    }
    __syncthreads();
    add_products<COLUMNS>(sums.first, room + UPPER_AT, room + SEEN_AT, at);
    if (thread < 4 * HIDDEN) sums.biases[0] += quarter_of_line(room + UPPER_AT + thread / 4 * LINE, thread % 4);
    __syncthreads();
}

// Put four quarters of neighbouring threads together; the first of them has the sum.
__device__ float whole(float quarter, int thread) {
    __syncthreads();
    room[thread] = quarter;
    __syncthreads();
    int first = thread / 4 * 4;
    return room[first] + room[first + 1] + room[first + 2] + room[first + 3];
}

__device__ float over_all(float part, int thread) {
    __syncthreads();
    room[thread] = part;
    for (int apart = THREADS / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (thread < apart) room[thread] += room[thread + apart];
    }
    __syncthreads();
    return room[0];
}

// Write what a block added up, for the network that begins at a place.
template <int OUTS>
__device__ void write_sums(float* own, Sums& sums, int thread) {
    Place at = place_of(thread);
    float *second = own + HIDDEN * (INPUTS + 1), *last = second + HIDDEN * (HIDDEN + 1);
    for (int j = 0; j < UNITS; j++) {
        int unit = at.unit + 16 * j;
        for (int i = 0; i < COLUMNS; i++) {
            int input = at.quad + 16 * i;
            if (input < INPUTS) own[unit * INPUTS + input] = sums.first[j][i];
        }
        for (int i = 0; i < UNITS; i++) second[unit * HIDDEN + at.quad + 16 * i] = sums.second[j][i];
    }
    if (thread < OUTS * HIDDEN) last[thread] = sums.last;
    float lower = whole(sums.biases[0], thread), upper = whole(sums.biases[1], thread);
    if (thread < 4 * HIDDEN && thread % 4 == 0) {
        own[HIDDEN * INPUTS + thread / 4] = lower;
        second[HIDDEN * HIDDEN + thread / 4] = upper;
    }
}

// Gradients of one network over the tiles of a block, and the figures of its loss.
template <int OUTS, int SPREADS>
__device__ void learn_tiles(const Lesson& it, int thread) {
    Sums sums = {};
    double sum = 0.0, squares = 0.0;
    for (int part = 0; part < PARTS; part++) {
        sum += it.moments[2 * part];
        squares += it.moments[2 * part + 1];
    }
    double mean = sum / it.size, apart = fmax(squares - sum * mean, 0.0) / (it.size > 1 ? it.size - 1 : 1);
    double scale = 1.0 / (sqrt(apart) + LEAST_SPREAD);
    for (int first = blockIdx.x * ROWS; first < it.size; first += gridDim.x * ROWS) {
        load_samples(it, first, thread);
        forward<OUTS>(thread);
        if (thread < ROWS) {
            if (SPREADS > 0) write_policy_slopes(it, thread, mean, scale, sums);
            else write_value_slopes(it, thread, sums);
        }
        __syncthreads();
        backward<OUTS, SPREADS>(thread, sums);
    }
    float *row = it.partial + (long long)blockIdx.x * PARTIAL, *own = row + (SPREADS > 0 ? 0 : POLICY_COUNT);
    write_sums<OUTS>(own, sums, thread);
    float total = whole(sums.biases[2], thread);
    if (thread % 4 == 0 && thread < 4 * OUTS) own[NETWORK(OUTS) - OUTS + thread / 4] = total;
    if (thread % 4 == 0 && thread >= 4 * OUTS && thread < 4 * (OUTS + SPREADS)) row[SPREAD_AT + thread / 4 - OUTS] = total;
    for (int figure = 0; figure < (SPREADS > 0 ? 3 : 1); figure++) {
        float all = over_all(sums.figures[figure], thread);
        if (thread == 0) row[COUNT + (SPREADS > 0 ? figure + (figure > 0) : 1)] = all;
    }
}

// Partial gradients of a batch: blocks of the first row for the policy, of the second for the value network.
extern "C" __global__ void __launch_bounds__(THREADS, 2) learn(Lesson it) {
    int thread = threadIdx.x;
    if (blockIdx.y == 0) {
        load_network<OUTPUTS>(it.parameters, thread);
        __syncthreads();
        learn_tiles<OUTPUTS, OUTPUTS>(it, thread);
    } else {
        load_network<1>(it.parameters + POLICY_COUNT, thread);
        __syncthreads();
        learn_tiles<1, 0>(it, thread);
    }
}

struct Stepping {
    const float *partial, *moves, *rate;
    float *gradients, *squares, *figures;
    float *parameters, *first_moments, *second_moments, *steps;
    float ent_coef, longest;
    int blocks, size;
};

// Add up the partial gradients, 32 parameters to a block, and their squares; the figures of the batch beside them.
extern "C" __global__ void __launch_bounds__(THREADS) reduce(Stepping it) {
    int lane = threadIdx.x % 32, share = threadIdx.x / 32, i = blockIdx.x * 32 + lane;
    float sum = 0.0f;
    if (i < PARTIAL) {
#pragma unroll 4
        for (int block = share; block < it.blocks; block += THREADS / 32) sum += it.partial[(long long)block * PARTIAL + i];
    }
    room[threadIdx.x] = sum;
    __syncthreads();
    if (share != 0) return;
    for (int other = 1; other < THREADS / 32; other++) sum += room[other * 32 + lane];
    if (i >= COUNT && i < PARTIAL) it.figures[i - COUNT] += sum / (float)it.size;
    float gradient = i < COUNT ? (sum - (i >= SPREAD_AT ? it.ent_coef : 0.0f)) * it.moves[i] : 0.0f;
    if (i < COUNT) it.gradients[i] = gradient;
    it.squares[i] = gradient * gradient;
}

// A step of Adam, with gradients that are not longer than they may be.
extern "C" __global__ void __launch_bounds__(THREADS) adam(Stepping it) {
    int thread = threadIdx.x, i = blockIdx.x * THREADS + thread;
    float squares = 0.0f;
    for (int k = thread; k < COUNT; k += THREADS) squares += it.squares[k];
    float norm = sqrtf(over_all(squares, thread));
    if (i >= COUNT || it.moves[i] == 0.0f) return;
    float slope = it.gradients[i] * fminf(it.longest / (norm + 1e-6f), 1.0f), made = it.steps[i] + 1.0f;
    float first = it.first_moments[i] + (1.0f - FIRST_DECAY) * (slope - it.first_moments[i]);
    float second = it.second_moments[i] * SECOND_DECAY + (1.0f - SECOND_DECAY) * slope * slope;
    float gone = 1.0f - powf(FIRST_DECAY, made), spread = sqrtf(1.0f - powf(SECOND_DECAY, made));
    it.parameters[i] -= it.rate[0] / gone * first / (sqrtf(second) / spread + TINY);
    it.first_moments[i] = first;
    it.second_moments[i] = second;
    it.steps[i] = made;
}
