// NVRTC of the host: the functions that Squeeze calls. CUDA C is compiled as C++ (`kernel.h`) by the system's compiler to a shared
// object, which `cuda.cpp` loads.

#include "machine.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

constexpr int SUCCESS = 0, INVALID_INPUT = 3, COMPILATION = 6;

// IEEE arithmetic and wrapping integers, as on a GPU. Most time goes into compiling and linking, so little is optimised, and C++'s library,
// of which kernels use nothing, is not looked at. Code that reads beside an array, shifts too far or takes a pointer that is not aligned ends in a trap,
// which `cuda.cpp` makes a fault of: addresses within other memory of the device show no other way.
constexpr const char *OPTIONS = " -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -fno-fast-math -fwrapv -fno-strict-aliasing"
                                " -fno-builtin -fno-math-errno -fno-exceptions -fno-rtti -fno-gnu-unique -nostdlib"
                                " -fsanitize=bounds,shift,alignment -fsanitize-undefined-trap-on-error";

struct Program {
    std::string text, log, image;
};

bool is_letter(char c) {
    return std::isalnum((unsigned char)c) || c == '_';
}

// Whether a word begins here.
bool is_word(const std::string &text, size_t at, const char *word) {
    const size_t length = std::strlen(word);
    return text.compare(at, length, word) == 0 && (at == 0 || !is_letter(text[at - 1]))
        && (at + length == text.size() || !is_letter(text[at + length]));
}

// Behind the bracket that closes the one here. Strings are passed over.
size_t behind_brackets(const std::string &text, size_t at) {
    int depth = 0;
    for (bool quoted = false; at < text.size(); ++at) {
        if (text[at] == '"' && text[at - 1] != '\\') {
            quoted = !quoted;
        } else if (!quoted && text[at] == '(') {
            ++depth;
        } else if (!quoted && text[at] == ')' && --depth == 0) {
            return at + 1;
        }
    }
    return at;
}

// `"lop3.b32 %0, %1;" : "=r"(a) : "r"(b)` as a call of `ptx_lop3_b32(a, b)`.
std::string call_of(const std::string &assembly) {
    std::string name = "ptx_", operands;
    const size_t first = assembly.find('"') + 1;
    const size_t end = assembly.find_first_of(" ;\"", first);
    for (size_t at = first; at < end; ++at) {
        name += assembly[at] == '.' ? '_' : assembly[at];
    }
    // Operands are what stands in brackets behind the strings of the first two colons; strings are passed over.
    bool quoted = false;
    for (size_t at = 0; at < assembly.size(); ++at) {
        if (assembly[at] == '"') {
            quoted = !quoted;
        } else if (!quoted && assembly[at] == '(') {
            const size_t behind = behind_brackets(assembly, at);
            operands += (operands.empty() ? "" : ", ") + assembly.substr(at + 1, behind - at - 2);
            at = behind - 1;
        }
    }
    return name + "(" + operands + ")";
}

// Calls in the place of inline assembly, and descriptions of the kernels behind the text.
std::string translate(const std::string &text) {
    std::string out, kernels;
    for (size_t at = 0; at < text.size();) {
        if (is_word(text, at, "asm")) {
            const size_t open = text.find('(', at), behind = behind_brackets(text, open);
            const std::string assembly = text.substr(open + 1, behind - open - 2);
            out += call_of(assembly);
            // So that lines keep their numbers.
            for (char c : assembly) {
                out += c == '\n' ? "\n" : "";
            }
            at = behind;
            continue;
        }
        if (is_word(text, at, "__global__")) {
            const size_t bounds = text.find("__launch_bounds__", at), open = text.find('(', bounds);
            const size_t behind = behind_brackets(text, open);
            const size_t name = text.find_first_not_of(' ', behind), name_end = text.find('(', name);
            kernels += "\nSHIM_KERNEL(" + text.substr(name, name_end - name) + ", "
                     + text.substr(open + 1, behind - open - 2) + ")";
        }
        out += text[at++];
    }
    // Kernels of a text that is printed for other programs stand in a namespace.
    const size_t space = text.rfind("\nnamespace ", text.find("__global__"));
    const std::string used = space == std::string::npos ? "" : "\nusing " + text.substr(space + 1, text.find(" {", space) - space - 1) + ";";
    return "#include \"" SHIM_FOLDER "/kernel.h\"\n#line 1 \"squeeze.cu\"\n" + out + used + kernels + "\n";
}

std::string contents(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

} // namespace

extern "C" {

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count) {
    *count = 2;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *architectures) {
    architectures[0] = 75;
    architectures[1] = 90;
    return SUCCESS;
}

int nvrtcCreateProgram(Program **program, const char *text, const char *, int, const char *const *, const char *const *) {
    *program = new Program{text, "", ""};
    return SUCCESS;
}

int nvrtcDestroyProgram(Program **program) {
    delete *program;
    *program = nullptr;
    return SUCCESS;
}

int nvrtcCompileProgram(Program *program, int, const char *const *) {
    char folder[] = "/tmp/squeeze-shim-XXXXXX";
    if (!mkdtemp(folder)) {
        program->log = "no temporary folder";
        return COMPILATION;
    }
    const std::string source = std::string(folder) + "/squeeze.cpp", object = std::string(folder) + "/squeeze.so";
    const std::string log = std::string(folder) + "/log";
    std::ofstream(source, std::ios::binary) << translate(program->text);
    const std::string command = std::string(SHIM_COMPILER) + OPTIONS + " -o " + object + " " + source + " -lm -lgcc 2> " + log;
    const int status = std::system(command.c_str());
    program->log = contents(log);
    if (status == 0) {
        const std::string code = contents(object);
        const unsigned long long length = code.size();
        program->image = std::string(shim::MAGIC, sizeof(shim::MAGIC));
        program->image.append(reinterpret_cast<const char *>(&length), sizeof(length));
        program->image += code;
    }
    for (const std::string &path : {source, object, log}) {
        unlink(path.c_str());
    }
    rmdir(folder);
    return status == 0 ? SUCCESS : COMPILATION;
}

int nvrtcGetProgramLogSize(Program *program, size_t *size) {
    *size = program->log.size() + 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(Program *program, char *log) {
    std::memcpy(log, program->log.c_str(), program->log.size() + 1);
    return SUCCESS;
}

int nvrtcGetCUBINSize(Program *program, size_t *size) {
    *size = program->image.size();
    return SUCCESS;
}

int nvrtcGetCUBIN(Program *program, char *image) {
    std::memcpy(image, program->image.data(), program->image.size());
    return SUCCESS;
}

// There is no PTX.
int nvrtcGetPTXSize(Program *, size_t *) {
    return INVALID_INPUT;
}

int nvrtcGetPTX(Program *, char *) {
    return INVALID_INPUT;
}
}
