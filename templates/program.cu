{% for line in head -%}
//{% if line %} {{ line }}{% endif %}
{% endfor %}
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

{{ world }}

// Lets blocks of the next pass begin where this pass leaves room on the device; they wait at their own `after_pass_before`. Before architecture 9.0 it
// does nothing.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for the end of the pass before, whose results are read from here on. Returns 0. Kernels add it to their pointers, so that the compiler cannot move
// a load before the wait.
__device__ __forceinline__ u32 after_pass_before() {
    u32 zero = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tmov.u32 %0, 0;" : "=r"(zero) : : "memory");
#endif
    return zero;
}
{% for function in functions %}
{{ function }}
{%- endfor %}
{%- for kernel in kernels %}
{{ kernel }}
{% endfor -%}
