// All tiles, and what they come to. Blocks take one after the other.
extern "C" __global__ void __launch_bounds__({{ threads }}) {{ name }}(
{%- for argument in arguments %}
    {{ argument }},
{%- endfor %}
    const Totals totals,
    const World world
) {
    let_next_begin();
{%- for line in declarations %}
    {{ line }}
{%- endfor %}
    for (u32 tile = blockIdx.x; tile / {{ across }} * {{ rows }} < world.end - world.first; tile += gridDim.x) {
        {{ of_tile }}({% for name in names %}{{ name }}, {% endfor %}world, tile{% for name in kept %}, {{ name }}{% endfor %});
{%- for line in leave %}
    {{ line }}
{%- endfor %}
}
