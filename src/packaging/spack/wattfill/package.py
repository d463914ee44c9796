# Recipe for Spack. Not tried yet: see ../../README.md.
from spack.package import *


class Wattfill(CMakePackage):
    """Simulates AI training jobs that must live within less power than they want: policies, curves, grid events, contracts."""

    homepage = "https://github.com/wattfill/wattfill"
    git = "https://github.com/wattfill/wattfill.git"
    license("Apache-2.0")

    version("main", branch="main")
    variant("report", default=False, description="Bundle the page of `wattfill report` (fetches npm packages)")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("boost@1.74:+program_options+graph+random+math")
    depends_on("eigen@3.4:")
    depends_on("intel-tbb@2021:")
    depends_on("yaml-cpp@0.7:")
    depends_on("openssl@3:")
    depends_on("muparser")
    depends_on("random123", type="build")
    depends_on("glpk")
    depends_on("node-js", type="build", when="+report")
    depends_on("npm", type="build", when="+report")

    conflicts("%gcc@:11", msg="C++20 as of GCC 12 is needed")

    def cmake_args(self):
        return [self.define_from_variant("WATTFILL_REPORT", "report")]
