"""Race the engine against PyTorch. See README.md for how to read the result.

python tests/benchmarks/race.py
python tests/benchmarks/race.py --cases chain,step --rounds 21 --json result.json
python tests/benchmarks/race.py --against tinyengine@../another_checkout
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CASES = ["chain_forward", "chain", "step", "mlp", "muladd", "tanh_large"]
EXTRAS = ["growth", "idle_hook", "import"]
OPS = {"chain_forward": 1000, "chain": 1000}
SHORT, LONG = 999, 99_999
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
UNSET = (
    "OPENBLAS_CORETYPE",  # where these two are set, they may slow NumPy's products
    "OPENBLAS_L2_SIZE",
    "PYTHONDONTWRITEBYTECODE",  # would compile the engine anew at every import
)


class Contender:
    """One engine in a process of its own, which runs a step when asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        engine, _, checkout = name.partition("@")
        self.environment = environment(Path(checkout).resolve() if checkout else ROOT)
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "race.py"), "--worker", engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment,
        )

    def ask(self, **question: Any) -> Any:
        """Send a question to the process; its answer.

        Raises:
            RuntimeError: the process died.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} failed at {question}; its error stands above")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def environment(checkout: Path) -> dict[str, str]:
    """One thread, and `checkout` as the place from which tinyengine is imported."""
    found = {k: v for k, v in os.environ.items() if k not in UNSET}
    found |= dict.fromkeys(ONE_THREAD, "1")
    found["PYTHONPATH"] = str(checkout)
    return found


def worker(engine: str) -> None:
    """Answer questions from standard input, one JSON a line."""
    sys.path.insert(0, str(HERE))
    from engines import ENGINES

    made = ENGINES[engine]()
    step, result = None, None
    for line in sys.stdin:
        question = json.loads(line)
        if question["ask"] == "prepare":
            case, _, size = question["case"].partition(":")
            step = result = None
            gc.collect()
            step, result = getattr(made, case)(*([int(size)] if size else []))
            before = memory(reset=True)
            step()
            print(json.dumps({"found": result(), "bytes": memory() - before}), flush=True)
        else:
            print(json.dumps(seconds(step, question["at_least"])), flush=True)


def seconds(step: Any, at_least: float) -> float:
    """CPU seconds of a step, repeated until it took long enough to be measured."""
    times = 1
    while True:
        begin = time.process_time()
        for _ in range(times):
            step()
        spent = time.process_time() - begin
        if spent >= at_least:
            return spent / times
        times = max(times + 1, min(10 * times, int(1.1 * times * at_least / max(spent, 1e-9))))


def memory(reset: bool = False) -> int:
    """Resident bytes now if `reset`, else the most since then; 0 where Linux does not tell."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["VmRSS" if reset else "VmHWM"].split()[0]) * 1024


def race(case: str, names: list[str], rounds: int) -> dict[str, Any]:
    """Microseconds of each engine, and the median of its ratio to the last in the same round.

    Raises:
        RuntimeError: the engines do not find the same numbers.
    """
    contenders = [Contender(name) for name in names]
    found = [c.ask(ask="prepare", case=case)["found"] for c in contenders]
    for name, numbers in zip(names, found, strict=True):
        if not all(map(close, numbers, found[-1])):
            raise RuntimeError(f"{case}: {name} finds {numbers}, and {names[-1]} {found[-1]}")
    times: list[list[float]] = [[] for _ in names]
    for i in range(rounds + 1):
        for contender, series in zip(contenders, times, strict=True):
            spent = contender.ask(ask="time", at_least=0.1)
            if i:  # round 0 warms up
                series.append(spent)
    for contender in contenders:
        contender.close()
    return {
        name: {
            "microseconds": median(series) * 1e6 / OPS.get(case, 1),
            "ratio": median(a / b for a, b in zip(series, times[-1], strict=True)),
        }
        for name, series in zip(names, times, strict=True)
    }


def close(a: float, b: float) -> bool:
    """Whether two engines mean the same number."""
    return math.isclose(a, b, rel_tol=2e-3, abs_tol=2e-4)


def growth(name: str, rounds: int) -> dict[str, float]:
    """How much more an op costs in a long graph than in a short one; bytes per recorded op."""
    short, long = Contender(name), Contender(name)
    short.ask(ask="prepare", case=f"growth:{SHORT}")
    extra = long.ask(ask="prepare", case=f"growth:{LONG}")["bytes"]
    ratios = []
    for _ in range(max(3, rounds // 2)):
        a, b = (c.ask(ask="time", at_least=0.1) for c in (short, long))
        ratios.append(b / LONG / (a / SHORT))
    short.close()
    long.close()
    return {"long/short": median(ratios), "bytes per op": extra / LONG}


def idle_hook(rounds: int) -> dict[str, float]:
    """The share of the scalar chain that goes into asking whether an observer watches."""
    import timeit

    contender = Contender("tinyengine")
    contender.ask(ask="prepare", case="chain")
    shares = []
    for _ in range(rounds):
        test = min(timeit.repeat("if a: pass", "a = []", number=100_000, repeat=5))
        empty = min(timeit.repeat("pass", number=100_000, repeat=5))
        op = contender.ask(ask="time", at_least=0.1) / OPS["chain"]
        shares.append(2 * (test - empty) / 100_000 / op)  # asked in forward and in backward
    contender.close()
    return {"share": median(shares)}


def imports(rounds: int) -> dict[str, float]:
    """Seconds of importing the engine as a multiple of NumPy's, both net of the interpreter."""
    ratios = []
    for _ in range(rounds):
        spent = []
        for code in ("pass", "import numpy", "import tinyengine"):
            begin = os.times()
            subprocess.run([sys.executable, "-c", code], env=environment(ROOT), check=True)
            end = os.times()
            spent.append(sum(end[2:4]) - sum(begin[2:4]))
        ratios.append((spent[2] - spent[0]) / (spent[1] - spent[0]))
    return {"ratio": median(ratios)}


def main() -> None:
    """Run the cases that were asked for; print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default=",".join(CASES + EXTRAS), help="default: %(default)s")
    parser.add_argument(
        "--against", default="torch", help='"torch", or "tinyengine@FOLDER" for another checkout'
    )
    parser.add_argument("--rounds", type=int, default=11, help="default: %(default)s")
    parser.add_argument("--json", type=Path, help="also write the numbers to this file")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return worker(options.worker)
    results: dict[str, Any] = {}
    print(f"{'case':16} {'µs':>12} {'µs ' + options.against[:12]:>16} {'ratio':>8}")
    for case in options.cases.split(","):
        if case in CASES:
            results[case] = race(case, ["tinyengine", options.against], options.rounds)
            ours, theirs = results[case].values()
            print(
                f"{case:16} {ours['microseconds']:12.2f} {theirs['microseconds']:16.2f}"
                f" {ours['ratio']:8.3f}",
                flush=True,
            )
        elif case == "growth":
            results["growth"] = growth("tinyengine", options.rounds)
        elif case == "idle_hook":
            results[case] = idle_hook(options.rounds)
        elif case == "import":
            results[case] = imports(options.rounds)
        else:
            parser.error(f"unknown case {case!r}: there are {', '.join(CASES + EXTRAS)}")
        if case not in CASES:
            print(f"{case:16}", {k: round(v, 3) for k, v in results[case].items()}, flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
