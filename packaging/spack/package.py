# Varve for Spack. Copy this file to packages/varve/package.py of your repository, then run in the sources of Varve:
#
#     spack dev-build varve@0.1.0
#
# It uses the sources in this folder; there is no archive to fetch.

from spack.package import *


class Varve(CMakePackage):
    """Varve records every I/O call that a program makes, with all arguments and times, without changing the program, and
    shows afterwards what it did. libvarve reads its traces."""

    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build")
    # Linked statically; not needed after the build.
    depends_on("zstd libs=static")
    depends_on("xxhash")

    requires("platform=linux", msg="Varve is preloaded by the dynamic linker of Linux")
    requires("target=x86_64:", msg="Varve runs only on x86-64")

    def cmake_args(self):
        # Some systems put libraries into lib64; self.prefix.lib is always lib.
        return [self.define("VARVE_TESTS", False), self.define("CMAKE_INSTALL_LIBDIR", "lib")]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)
