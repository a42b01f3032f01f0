// The driver of the host: the functions of libcuda that Squeeze calls. Memory is the host's, each piece before a page without
// access. Kernels come from `nvrtc.cpp`. Work on a stream is done when the host waits for it, in order; a kernel's threads
// are fibres, of which one runs until it meets others or ends. They take turns from the first to the last, and in the next
// block from the last to the first, so that a barrier that is missing shows.

#include "machine.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace {

using shim::Index;
using shim::Kernel;
using shim::Machine;
using shim::Meeting;
using Work = std::function<void()>;

constexpr int SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, NOT_FOUND = 500, LAUNCH_FAILED = 719;

// Everything below is used by one thread of the host at a time.
std::recursive_mutex guard;
using Lock = std::lock_guard<std::recursive_mutex>;

// Kernels.

// Where a fibre or the scheduler goes on. Kernels of small blocks do little but meet, so that the library's jumps took a tenth of a test's time.
#ifdef __x86_64__
using Place = void *; // its stack, on which lies what a call keeps

extern "C" [[gnu::visibility("hidden")]] void shim_go_over(Place *from, Place to);
asm(R"(
    .text
    .hidden shim_go_over
    .globl shim_go_over
    .type shim_go_over, @function
shim_go_over:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .size shim_go_over, . - shim_go_over
)");

void go_over(Place &from, Place &to) {
    shim_go_over(&from, to);
}

// The place at which a function begins that never returns.
void begin(Place &place, void (*function)(), char *stack, size_t bytes) {
    void **top = reinterpret_cast<void **>(stack + bytes / 16 * 16);
    // As a call leaves the stack: a return address, the function's own, and six registers.
    *--top = nullptr;
    *--top = reinterpret_cast<void *>(function);
    place = std::fill_n(top - 6, 6, nullptr) - 6;
}
#else
using Place = ucontext_t;

void go_over(Place &from, Place &to) {
    swapcontext(&from, &to);
}

void begin(Place &place, void (*function)(), char *stack, size_t bytes) {
    getcontext(&place);
    place.uc_stack.ss_sp = stack;
    place.uc_stack.ss_size = bytes;
    place.uc_link = nullptr;
    makecontext(&place, function, 0);
}
#endif

// A thread. It begins on a stack of its own once, and runs one thread of a block after the other.
struct Fibre {
    Place place;
    Index thread;
    bool begun;
    bool done;
    Meeting waits; // for whom
    unsigned mask;
    unsigned long long value;
};

// Stacks begin on pages and lines of their own by turns: where all begin at a multiple of their size, each jump misses the first cache and the table of pages.
constexpr size_t STACK = size_t(4) << 20, TURNS = 256, OF_TURN = 4096 + 11 * 64;

std::vector<Fibre> fibres;
unsigned count; // threads of a block
std::vector<unsigned long long> met; // what the lanes of each warp had
int met_block;
unsigned running;
Place scheduler;
Machine machine;
const Kernel *kernel = nullptr; // that runs
void **arguments;
// The fault of a kernel; nothing runs afterwards, as on a device.
std::string fault;

// Kernels are compiled to trap at undefined behaviour. The thread never goes on.
void trapped(int) {
    if (!kernel) {
        std::abort();
    }
    fault = "a kernel reads or writes beside an array, shifts by too much, or takes an address that is not aligned";
    go_over(fibres[running].place, scheduler);
}

void wait(Meeting meeting, unsigned mask, unsigned long long value) {
    Fibre &fibre = fibres[running];
    fibre.waits = meeting;
    fibre.mask = mask;
    fibre.value = value;
    go_over(fibre.place, scheduler);
}

const unsigned long long *meet_warp(Meeting meeting, unsigned mask, unsigned long long value) {
    const unsigned warp = running / 32;
    wait(meeting, mask, value);
    return &met[32 * warp];
}

int meet_block(Meeting meeting, int value) {
    wait(meeting, 0, (unsigned long long)value);
    return met_block;
}

void live() {
    for (;;) {
        kernel->call(arguments);
        Fibre &fibre = fibres[running];
        fibre.done = true;
        go_over(fibre.place, scheduler);
    }
}

// Runs a thread until it waits or ends.
void resume(Fibre &fibre) {
    if (!fibre.begun) {
        void *stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) {
            fault = "no memory for the threads' stacks";
            return;
        }
        fibre.begun = true;
        begin(fibre.place, live, static_cast<char *>(stack), STACK - running % TURNS * OF_TURN);
    }
    go_over(scheduler, fibre.place);
}

// Whether all of these threads wait for the same, and have not ended, unless those may be missing.
bool all_wait(unsigned first, unsigned end, bool may_end) {
    for (unsigned i = first; i < end; ++i) {
        const Fibre &fibre = fibres[i];
        if (fibre.done && may_end) {
            continue;
        }
        if (fibre.done || fibre.waits == Meeting::None || fibre.waits != fibres[first].waits
            || fibre.mask != fibres[first].mask) {
            return false;
        }
    }
    return true;
}

bool is_for_block(Meeting meeting) {
    return meeting == Meeting::Barrier || meeting == Meeting::BarrierOr;
}

// Lets the threads that have met go on. False if none have.
bool release() {
    bool released = false;
    if (is_for_block(fibres[0].waits) && all_wait(0, count, false)) {
        met_block = 0;
        for (unsigned i = 0; i < count; ++i) {
            met_block |= (int)fibres[i].value;
            fibres[i].waits = Meeting::None;
        }
        return true;
    }
    for (unsigned first = 0; first < count; first += 32) {
        const unsigned end = std::min(first + 32, count);
        // Threads that have ended are not waited for, and have 0.
        unsigned there = first;
        while (there < end && fibres[there].done) {
            met[there++] = 0;
        }
        if (there == end || is_for_block(fibres[there].waits) || !all_wait(there, end, true)
            || fibres[there].mask != 0xffffffff) {
            continue;
        }
        for (unsigned i = there; i < end; ++i) {
            met[i] = fibres[i].done ? 0 : fibres[i].value;
            fibres[i].waits = Meeting::None;
        }
        released = true;
    }
    return released;
}

void run_block(bool backwards) {
    met.assign((count + 31) / 32 * 32, 0);
    for (unsigned i = 0; i < count; ++i) {
        fibres[i].done = false;
        fibres[i].waits = Meeting::None;
    }
    for (;;) {
        unsigned done = 0;
        for (unsigned turn = 0; turn < count; ++turn) {
            running = backwards ? count - 1 - turn : turn;
            Fibre &fibre = fibres[running];
            if (!fibre.done && fibre.waits == Meeting::None) {
                machine.thread = fibre.thread;
                resume(fibre);
            }
            done += fibre.done;
        }
        if (done == count || !fault.empty()) {
            return;
        }
        if (!release()) {
            fault = "threads wait for others that have left, or that wait for something else";
            return;
        }
    }
}

void run(const Kernel *which, Index blocks, Index threads, std::vector<std::vector<char>> &values) {
    bool backwards = false;
    std::vector<void *> places;
    for (std::vector<char> &value : values) {
        places.push_back(value.data());
    }
    kernel = which;
    arguments = places.data();
    machine = {{0, 0, 0}, {0, 0, 0}, threads, blocks, meet_warp, meet_block};
    count = threads.x * threads.y * threads.z;
    fibres.resize(std::max(fibres.size(), (size_t)count));
    for (unsigned i = 0; i < count; ++i) {
        fibres[i].thread = {i % threads.x, i / threads.x % threads.y, i / (threads.x * threads.y)};
    }
    for (machine.block.z = 0; machine.block.z < blocks.z; ++machine.block.z) {
        for (machine.block.y = 0; machine.block.y < blocks.y; ++machine.block.y) {
            for (machine.block.x = 0; machine.block.x < blocks.x && fault.empty(); ++machine.block.x) {
                run_block(backwards);
                backwards = !backwards;
            }
        }
    }
    kernel = nullptr;
}

// Streams and graphs.

std::deque<Work> queue;
struct Graph {
    std::vector<Work> works;
};
Graph *capture = nullptr;

void start(Work work) {
    if (capture) {
        capture->works.push_back(std::move(work));
    } else {
        queue.push_back(std::move(work));
    }
}

int finish() {
    while (!queue.empty()) {
        Work work = std::move(queue.front());
        queue.pop_front();
        if (fault.empty()) {
            work();
        }
    }
    return fault.empty() ? SUCCESS : LAUNCH_FAILED;
}

int launch(const Kernel *which, Index blocks, Index threads, void **given) {
    if ((unsigned long long)threads.x * threads.y * threads.z > which->most_threads || threads.x == 0 || blocks.x == 0) {
        return INVALID_VALUE;
    }
    std::vector<std::vector<char>> values;
    for (unsigned i = 0; i < which->count; ++i) {
        const char *bytes = static_cast<const char *>(given[i]);
        values.emplace_back(bytes, bytes + which->sizes[i]);
    }
    start([=]() mutable { run(which, blocks, threads, values); });
    return SUCCESS;
}

// Memory.

struct Piece {
    char *mapping;
    size_t bytes;
};
std::map<uint64_t, Piece> pieces;
constexpr size_t ALL = size_t(4) << 30;

// Bytes that other programs leave: all, or as many as a variable says.
size_t left_by_others() {
    const char *bytes = std::getenv("SQUEEZE_SHIM_FREE");
    return bytes ? std::strtoull(bytes, nullptr, 10) : ALL;
}
size_t taken = 0;

char *at(uint64_t address) {
    return reinterpret_cast<char *>(address);
}

struct Module {
    void *library;
};
// Why an image could not be loaded.
std::string image_problem;

} // namespace

extern "C" {

int cuInit(unsigned) {
    struct sigaction action = {};
    action.sa_handler = trapped;
    // It is left by a jump.
    action.sa_flags = SA_NODEFER;
    for (int signal : {SIGILL, SIGTRAP}) {
        sigaction(signal, &action, nullptr);
    }
    return SUCCESS;
}
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}
// One device, or as many as a variable says, all in the same memory.
int cuDeviceGetCount(int *count) {
    const char *devices = std::getenv("SQUEEZE_SHIM_DEVICES");
    *count = devices ? std::atoi(devices) : 1;
    return SUCCESS;
}
int cuDeviceGet(int *device, int number) {
    *device = number;
    return SUCCESS;
}
int cuDeviceGetName(char *name, int length, int) {
    std::strncpy(name, "the host in place of a GPU", (size_t)length);
    return SUCCESS;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
    constexpr int MULTIPROCESSORS = 16, MAJOR = 75, MINOR = 76;
    *value = attribute == MAJOR ? 9 : attribute == MINOR ? 0 : attribute == MULTIPROCESSORS ? 4 : 0;
    return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = ALL;
    return SUCCESS;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
    // The memory that a context takes.
    if (left_by_others() < size_t(64) << 20) {
        return OUT_OF_MEMORY;
    }
    *context = &machine;
    return SUCCESS;
}
int cuCtxSetCurrent(void *) {
    return SUCCESS;
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
    Lock lock(guard);
    *free = left_by_others() - std::min(left_by_others(), taken);
    *total = ALL;
    return SUCCESS;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
    Lock lock(guard);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page * page;
    if (bytes > left_by_others() - std::min(left_by_others(), taken)) {
        return OUT_OF_MEMORY;
    }
    void *mapping = mmap(nullptr, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    mprotect(static_cast<char *>(mapping) + pages, page, PROT_NONE);
    // As near to that page as words of 16 bytes allow.
    *address = reinterpret_cast<uint64_t>(mapping) + pages - (bytes + 15) / 16 * 16;
    std::memset(at(*address), 0xcd, bytes);
    pieces[*address] = {static_cast<char *>(mapping), pages + page};
    taken += pages;
    return SUCCESS;
}
int cuMemFree_v2(uint64_t address) {
    Lock lock(guard);
    const int done = finish();
    const auto piece = pieces.find(address);
    if (piece == pieces.end()) {
        return INVALID_VALUE;
    }
    taken -= piece->second.bytes - (size_t)sysconf(_SC_PAGESIZE);
    munmap(piece->second.mapping, piece->second.bytes);
    pieces.erase(piece);
    return done;
}
int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes) {
    Lock lock(guard);
    const int done = finish();
    std::memset(at(address), value, bytes);
    return done;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
    Lock lock(guard);
    const int done = finish();
    std::memcpy(at(to), from, bytes);
    return done;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
    Lock lock(guard);
    const int done = finish();
    std::memcpy(to, at(from), bytes);
    return done;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
    Lock lock(guard);
    start([=] { std::memcpy(at(to), at(from), bytes); });
    return SUCCESS;
}
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
    Lock lock(guard);
    start([=] { std::memcpy(to, at(from), bytes); });
    return SUCCESS;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
    Lock lock(guard);
    start([=] { std::memcpy(at(to), from, bytes); });
    return SUCCESS;
}
int cuMemsetD32Async(uint64_t address, unsigned value, size_t count, void *) {
    Lock lock(guard);
    start([=] { std::fill_n(reinterpret_cast<unsigned *>(at(address)), count, value); });
    return SUCCESS;
}
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *) {
    Lock lock(guard);
    start([=] { std::memset(at(address), value, bytes); });
    return SUCCESS;
}
int cuMemHostRegister_v2(void *, size_t, unsigned) {
    return SUCCESS;
}
int cuMemHostUnregister(void *) {
    return SUCCESS;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
    // Kernels take numbers of 16 bytes there as well.
    *memory = std::aligned_alloc(16, (bytes + 15) / 16 * 16);
    return *memory ? SUCCESS : OUT_OF_MEMORY;
}
int cuMemFreeHost(void *memory) {
    Lock lock(guard);
    const int done = finish();
    std::free(memory);
    return done;
}
// Work is done in the order in which it is started, on all devices.
int cuStreamWaitEvent(void *, double *, unsigned) {
    return SUCCESS;
}
int cuDeviceGetUuid_v2(char *bytes, int device) {
    std::memset(bytes, 7 + device, 16);
    return SUCCESS;
}
int cuDeviceCanAccessPeer(int *can, int, int) {
    *can = 0;
    return SUCCESS;
}
int cuCtxEnablePeerAccess(void *, unsigned) {
    return INVALID_VALUE;
}

int cuModuleLoadData(Module **module, const void *image) {
    Lock lock(guard);
    const char *bytes = static_cast<const char *>(image);
    if (std::memcmp(bytes, shim::MAGIC, sizeof(shim::MAGIC)) != 0) {
        image_problem = "this is no image of the shim";
        return INVALID_IMAGE;
    }
    unsigned long long length = 0;
    std::memcpy(&length, bytes + 8, sizeof(length));
    char path[] = "/tmp/squeeze-shim-XXXXXX.so";
    const int file = mkstemps(path, 3);
    const bool written = file >= 0 && write(file, bytes + 16, length) == (ssize_t)length;
    const int problem_of_file = errno;
    close(file);
    void *library = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) {
        image_problem = written ? dlerror() : std::strerror(problem_of_file);
    }
    unlink(path);
    if (!library) {
        return INVALID_IMAGE;
    }
    *static_cast<Machine **>(dlsym(library, "shim_machine")) = &machine;
    *module = new Module{library};
    return SUCCESS;
}
int cuModuleUnload(Module *module) {
    Lock lock(guard);
    const int done = finish();
    dlclose(module->library);
    delete module;
    return done;
}
int cuModuleGetFunction(const Kernel **function, Module *module, const char *name) {
    Lock lock(guard);
    *function = static_cast<const Kernel *>(dlsym(module->library, ("shim_kernel_" + std::string(name)).c_str()));
    return *function ? SUCCESS : NOT_FOUND;
}
int cuFuncGetParamInfo(const Kernel *function, size_t index, size_t *offset, size_t *size) {
    if (index >= function->count) {
        return INVALID_VALUE;
    }
    *offset = 0;
    *size = function->sizes[index];
    return SUCCESS;
}
int cuLaunchKernelEx(const unsigned *config, const Kernel *function, void **given, void **) {
    Lock lock(guard);
    // The configuration begins with the blocks and the threads.
    return launch(function, {config[0], config[1], config[2]}, {config[3], config[4], config[5]}, given);
}

int cuStreamCreate(void **stream, unsigned) {
    *stream = new char;
    return SUCCESS;
}
int cuStreamCreateWithPriority(void **stream, unsigned flags, int) {
    return cuStreamCreate(stream, flags);
}
int cuStreamDestroy_v2(void *stream) {
    Lock lock(guard);
    const int done = finish();
    delete static_cast<char *>(stream);
    return done;
}
int cuStreamSynchronize(void *) {
    Lock lock(guard);
    return finish();
}
int cuStreamQuery(void *) {
    Lock lock(guard);
    return finish();
}
int cuStreamBeginCapture_v2(void *, int) {
    // No other thread may start anything meanwhile, or it would be captured.
    guard.lock();
    capture = new Graph;
    return SUCCESS;
}
int cuStreamEndCapture(void *, Graph **graph) {
    *graph = capture;
    capture = nullptr;
    guard.unlock();
    return SUCCESS;
}
int cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long) {
    *executable = new Graph(*graph);
    return SUCCESS;
}
int cuGraphDestroy(Graph *graph) {
    delete graph;
    return SUCCESS;
}
int cuGraphExecDestroy(Graph *executable) {
    Lock lock(guard);
    const int done = finish();
    delete executable;
    return done;
}
int cuGraphLaunch(Graph *executable, void *) {
    Lock lock(guard);
    queue.insert(queue.end(), executable->works.begin(), executable->works.end());
    return SUCCESS;
}
// The time of an event is that at which the work started before it is done.
int cuEventCreate(double **event, unsigned) {
    *event = new double(0.0);
    return SUCCESS;
}
int cuEventDestroy_v2(double *event) {
    Lock lock(guard);
    const int done = finish();
    delete event;
    return done;
}
int cuEventRecord(double *event, void *) {
    Lock lock(guard);
    start([=] {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        *event = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    });
    return SUCCESS;
}
int cuEventSynchronize(double *) {
    Lock lock(guard);
    return finish();
}
int cuEventElapsedTime(float *milliseconds, const double *begin, const double *end) {
    *milliseconds = (float)(*end - *begin);
    return SUCCESS;
}
int cuGetErrorString(int error, const char **text) {
    *text = error == LAUNCH_FAILED ? fault.c_str() : error == INVALID_IMAGE ? image_problem.c_str() : nullptr;
    return SUCCESS;
}
}
