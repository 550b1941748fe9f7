#!/usr/bin/env python3
"""Compiles the text for a device by NVRTC, the run-time compiler of CUDA, which needs no device.

Every schedule of `examples/cuda.atl`, and of `cases.atl` beside this file, must compile for `sm_90` without a warning, and keep its registers: what the compiler says of
spilled bytes and of local memory is printed. The library comes from a Python wheel (`./test` installs it); without it
the test is skipped, and says so.
"""

import argparse
import ctypes
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRATCH = ROOT / "target" / "cuda"
PROGRAMS = [ROOT / "examples" / "cuda.atl", ROOT / "tests" / "cuda" / "cases.atl"]


def library() -> ctypes.CDLL | None:
    """NVRTC, if the wheel is installed."""
    try:
        import nvidia.cuda_nvrtc as wheel
    except ImportError:
        return None
    for folder in wheel.__path__:
        for file in sorted(Path(folder).glob("lib/libnvrtc.so*")):
            return ctypes.CDLL(str(file))
    return None


def compiled(nvrtc: ctypes.CDLL, name: str, text: str, architecture: str) -> tuple[int, str, int]:
    """The status, what the compiler says, and how many bytes of code there are."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None) == 0
    flags = [f"--gpu-architecture={architecture}", "--ptxas-options=-v"]
    options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
    status = nvrtc.nvrtcCompileProgram(program, len(flags), options)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    code = ctypes.c_size_t()
    if status == 0:
        get = nvrtc.nvrtcGetCUBINSize if architecture.startswith("sm_") else nvrtc.nvrtcGetPTXSize
        assert get(program, ctypes.byref(code)) == 0
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return status, log.value.decode(errors="replace"), code.value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atl", default=str(ROOT / "target" / "debug" / "atl"))
    args = parser.parse_args()
    nvrtc = library()
    if nvrtc is None:
        print("skipped: NVRTC is not installed (pip install nvidia-cuda-nvrtc-cu12)")
        return
    SCRATCH.mkdir(parents=True, exist_ok=True)
    wrong = "extern \"C\" __global__ void f(float *x) { x[0] = y; }"
    assert compiled(nvrtc, "wrong.cu", wrong, "sm_90")[0] != 0, "NVRTC accepts what is wrong"
    found = [(p, s, f) for p in PROGRAMS for s, f in re.findall(r"^schedule (\w+) of (\w+)", p.read_text(), re.M)]
    for source, schedule, function in found:
        cu = SCRATCH / f"{schedule}_{function}.cu"
        built = [args.atl, "build", str(source), "--fn", function, "--schedule", schedule, "--backend", "cuda", "-o", str(cu)]
        subprocess.run(built, check=True, capture_output=True, timeout=300)
        for architecture in ["sm_90", "compute_90"]:
            status, log, code = compiled(nvrtc, cu.name, cu.read_text(), architecture)
            if status != 0 or code == 0 or "warning" in log:
                sys.exit(f"{schedule} of {function} for {architecture}: status {status}\n{log}")
            if architecture == "sm_90":
                used = "; ".join(re.findall(r"Used \d+ registers|\d+ bytes spill stores|\d+ bytes stack frame", log))
                print(f"{function} {schedule}: {code} bytes for {architecture}; {used}")


if __name__ == "__main__":
    main()
