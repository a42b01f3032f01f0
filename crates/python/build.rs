//! Lets Python give the module its functions when it is loaded, where the linker wants to be told.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
