{% for line in head -%}
//{% if line %} {{ line }}{% endif %}
{% endfor %}
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

{{ world }}

// Lets the next pass begin where this one leaves room, up to `after_pass_before` in it.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Waits for the end of the pass before, whose results are read from here on. Returns 0, so that nothing can be read before.
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
