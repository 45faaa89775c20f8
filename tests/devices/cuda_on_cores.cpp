// Runs the kernels of a CUDA source on a core: the threads of a block are fibers that take turns between barriers.
#include <math.h>
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <utility>
#include <vector>

using std::max;
using std::min;

#define __global__
#define __device__ static
#define __shared__
#define __align__(bytes)
#define __launch_bounds__(...)

struct float4 {
    float x, y, z, w;
};
struct Index {
    unsigned int x, y, z;
};
static Index threadIdx, blockIdx, gridDim;

static const int MOST_THREADS = 256, STACK = 1 << 16;
// Fibers are begun once, each on a stack of its own, and jump to the scheduler and back: no system call in between.
static jmp_buf scheduler, fibers[MOST_THREADS];
static std::vector<char> stacks(MOST_THREADS* STACK);
static bool begun[MOST_THREADS], done[MOST_THREADS], votes, vote;
static void* body;
static void (*call_body)(void*);

static void pause_fiber() {
    unsigned int thread = threadIdx.x;
    if (!_setjmp(fibers[thread])) _longjmp(scheduler, 1);
    threadIdx.x = thread;
}
static void __syncthreads() { pause_fiber(); }
static bool __syncthreads_or(bool mine) {
    votes = votes || mine;
    pause_fiber();
    return vote;
}

alignas(16) float room[1 << 16];
#include CUDA_SOURCE

static void fiber_main() {
    for (;;) {
        unsigned int thread = threadIdx.x;
        call_body(body);
        done[thread] = true;
        threadIdx.x = thread;
        pause_fiber();
    }
}

static void begin_fiber(int thread) {
    ucontext_t fiber;
    begun[thread] = true;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = &stacks[(size_t)thread * STACK];
    fiber.uc_stack.ss_size = STACK;
    makecontext(&fiber, fiber_main, 0);
    setcontext(&fiber);
}

static void resume_fiber(int thread) {
    threadIdx = {(unsigned int)thread, 0, 0};
    if (_setjmp(scheduler)) return;
    if (begun[thread]) _longjmp(fibers[thread], 1);
    begin_fiber(thread);
}

static void run_block(int threads) {
    std::fill(done, done + threads, false);
    std::fill(room, room + ROOM, NAN);  // what nobody wrote must not look like a result
    for (bool alive = true; alive;) {
        alive = votes = false;
        for (int thread = 0; thread < threads; thread++) {
            if (!done[thread]) resume_fiber(thread);
            alive = alive || !done[thread];
        }
        vote = votes;
    }
}

template <class... Arguments>
static void run(void (*kernel)(Arguments...), void** values, Index blocks, int threads) {
    auto call = [&]<size_t... I>(std::index_sequence<I...>) { kernel(*(Arguments*)values[I]...); };
    auto whole = [&] { call(std::index_sequence_for<Arguments...>{}); };
    body = &whole;
    call_body = [](void* what) { (*(decltype(whole)*)what)(); };
    gridDim = blocks;
    for (unsigned int z = 0; z < blocks.z; z++)
        for (unsigned int y = 0; y < blocks.y; y++)
            for (unsigned int x = 0; x < blocks.x; x++) {
                blockIdx = {x, y, z};
                run_block(threads);
            }
}

extern "C" void launch(const char* name, int x, int y, int z, int threads, void** values) {
    Index blocks = {(unsigned int)x, (unsigned int)y, (unsigned int)z};
#define KERNEL(kernel) \
    if (!strcmp(name, #kernel)) run(kernel, values, blocks, threads);
    KERNEL(act) KERNEL(record) KERNEL(value) KERNEL(discount) KERNEL(estimate)
    KERNEL(add_up) KERNEL(shuffle) KERNEL(learn) KERNEL(reduce) KERNEL(adam)
}

extern "C" int room_bytes() { return (int)sizeof(float) * ROOM; }
