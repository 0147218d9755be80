"""Prints the BUILD file of @llvm: one cc_library per static library, with the dependencies that CMake's export names."""
import pathlib
import re
import sys
# Debian links MLIR against the shared LLVM, so its export says only "LLVM" where components belong. Found by llvm-nm.
SUPPORT = "LLVMSupport LLVMCore LLVMBinaryFormat LLVMTargetParser"
X86 = "LLVMX86AsmParser LLVMX86CodeGen LLVMX86Desc LLVMX86Info"
MORE = {
    "MLIRCAPIExecutionEngine": "LLVMOrcJIT " + X86,
    "MLIRExecutionEngine": "LLVMExecutionEngine LLVMOrcJIT LLVMPerfJITEvents",
    "MLIRExecutionEngineUtils": "LLVMAnalysis LLVMPasses", "MLIRFromLLVMIRTranslationRegistration": "LLVMIRReader",
    "MLIRGPUToLLVMIRTranslation": "LLVMTransformUtils", "MLIRJitRunner": "LLVMOrcJIT",
    "MLIRLspServerSupportLib": "LLVMSupportLSP", "MLIRRemarkStreamer": "LLVMRemarks", "MLIRTableGen": "LLVMTableGen",
    "MLIRNVVMTarget": "LLVMNVPTXCodeGen LLVMNVPTXDesc LLVMNVPTXInfo",
    "MLIROpenACCToLLVMIRTranslation": "LLVMFrontendOpenMP", "MLIROpenMPToLLVMIRTranslation": "LLVMFrontendOpenMP",
    "MLIRROCDLTarget": "LLVMAMDGPUAsmParser LLVMAMDGPUCodeGen LLVMAMDGPUDesc LLVMAMDGPUInfo LLVMFrontendOffloading LLVMMC",
    "MLIRTargetLLVM": "LLVMBitWriter LLVMIRReader LLVMLinker LLVMMC LLVMipo",
    "MLIRTargetLLVMIRExport": "LLVMAnalysis LLVMFrontendOpenMP LLVMTransformUtils",
    "MLIRTargetLLVMIRTransforms": "LLVMMC",  # and every target, below
    "MLIRXeVMTarget": "LLVMSPIRVCodeGen LLVMSPIRVDesc LLVMSPIRVInfo",
}
SYSTEM = {"rt": "-lrt", "dl": "-ldl", "m": "-lm", "ZLIB::ZLIB": "-l:libz.a", "zstd::libzstd_shared": "-l:libzstd.a"}
root = pathlib.Path(sys.argv[1])
text = "".join((root / "lib/cmake" / file).read_text() for file in ["llvm/LLVMExports.cmake", "mlir/MLIRTargets.cmake"])
libraries = {name for name in re.findall(r"^add_library\((\S+) STATIC IMPORTED\)", text, re.M)
             if (root / f"lib/lib{name}.a").exists()}
links = dict(re.findall(r'set_target_properties\((\S+) PROPERTIES\n  INTERFACE_LINK_LIBRARIES "([^"]*)"', text))
MORE["MLIRTargetLLVMIRTransforms"] += "".join(f" {name}" for name in sorted(libraries) if name.endswith("CodeGen")
                                             and name[:-7] + "Info" in libraries for name in [name, name[:-7] + "Info"])
print("""package(default_visibility = ["//visibility:public"])
exports_files(glob(["bin/*"]))
filegroup(name = "td", srcs = glob(["include/**/*.td"]))
filegroup(name = "compiler", srcs = glob(["compiler/**"]))
filegroup(name = "lit", srcs = glob(["lit/**/*.py"]))
cc_library(name = "headers", includes = ["include"], hdrs = glob(["include/**/*." + end for end in ["h", "def", "inc"]]))""")
for name in sorted(libraries):
    items = links.get(name, "").replace("\\$<LINK_ONLY:", "").replace(">", "").split(";")
    deps = set(items) | set(MORE.get(name, "").split()) | set(SUPPORT.split() if "LLVM" in items else [])
    deps = [":headers"] + [f":{dep}" for dep in sorted(deps & libraries - {name})]
    flags = [SYSTEM[item] for item in items if item in SYSTEM]
    print(f"cc_library(name = {name!r}, srcs = ['lib/lib{name}.a'], deps = {deps}, linkopts = {flags})")
