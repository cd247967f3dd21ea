"""Write the onnxruntime graphs that the package carries: the encoder of multilingual-e5-small and the saturation probe.

Needs ``onnx`` (``pip install onnx``), which running the model does not. The encoder's weights are not in the graph: they
stand at the offsets of ``hindsight.adapters.embedders.layout`` in a file that the conversion writes beside it.

Activations are quantised to 8 bits token by token, never over the whole batch, so that a text's vector does not depend on
the texts that are embedded with it. All sequences of one batch have one length, hence no mask.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from hindsight.adapters.embedders.layout import BLOCK, HEADS, HIDDEN, LAYERS, WEIGHTS_FILE, Stored, layout

FOLDER = Path(__file__).parent.parent / "src" / "hindsight" / "adapters" / "embedders"
FUSED = "com.microsoft"
HEAD_SIZE = HIDDEN // HEADS
TYPES = {"int4": TensorProto.INT4, "int8": TensorProto.INT8, "float32": TensorProto.FLOAT}

ZERO_POINT = 128
GELU_ZERO_POINT = 16
"""GELU never falls below -0.17: with 16 steps below zero instead of 128, what lies above has 239 instead of 127."""
GELU_FLOOR = 0.17


class Graph:
    """Collects nodes and constants; every node has one output, named after its place."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = [external(stored) for stored in layout()]

    def constant(self, name: str, value: np.generic | np.ndarray) -> str:
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(self, name: str, operator: str, inputs: list[str], domain: str = "", outputs: int = 1, **attributes: object) -> str:
        names = [name] if outputs == 1 else [f"{name}.{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name=name, domain=domain, **attributes))
        return name


def external(stored: Stored) -> onnx.TensorProto:
    """A tensor whose content stands in the weights file."""
    tensor = onnx.TensorProto(name=stored.name, data_type=TYPES[stored.dtype], dims=stored.shape)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", WEIGHTS_FILE), ("offset", stored.offset), ("length", stored.size)):
        tensor.external_data.add(key=key, value=str(value))
    return tensor


def encoder() -> onnx.ModelProto:
    """Ids ``(texts, tokens)`` and positions ``(tokens)`` to the mean hidden state ``(texts, 384)``, not normalised."""
    graph = Graph()
    constants(graph)
    graph.add("shape", "Shape", ["ids"])
    graph.add("by_text", "Concat", ["shape", "last_hidden"], axis=0)
    graph.add("by_head", "Concat", ["shape", "last_heads"], axis=0)
    graph.add("size", "Size", ["ids"])
    graph.add("rows", "Unsqueeze", ["size", "axis_0"])
    graph.add("zero_points", "Expand", ["zero_point_1", "rows"])
    graph.add("gelu_zero_points", "Expand", ["gelu_zero_point_1", "rows"])
    words = graph.add(
        "words",
        "GatherBlockQuantized",
        ["embedding.codes", "ids", "embedding.scales"],
        FUSED,
        block_size=BLOCK,
        gather_axis=0,
        quantize_axis=1,
    )
    places = graph.add("places", "Gather", ["embedding.positions", "positions"])
    embedded = graph.add("embedded", "Reshape", [graph.add("placed", "Add", [words, places]), "flat"])
    state = norm(graph, "embedding.norm", embedded)
    for number in range(LAYERS):
        state = layer(graph, f"{number}", state)
    graph.add("pooled", "ReduceMean", [graph.add("texts", "Reshape", [state, "by_text"]), "axis_1"], keepdims=0)
    inputs = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"]),
        helper.make_tensor_value_info("positions", TensorProto.INT64, ["tokens"]),
    ]
    outputs = [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, ["texts", HIDDEN])]
    return model("multilingual-e5-small", graph, inputs, outputs)


def constants(graph: Graph) -> None:
    """What every layer shares."""
    for name, value in (
        ("axis_0", np.array([0], np.int64)),
        ("axis_1", np.array([1], np.int64)),
        ("axis_last", np.array([-1], np.int64)),
        ("last_hidden", np.array([HIDDEN], np.int64)),
        ("last_heads", np.array([3, HEADS, HEAD_SIZE], np.int64)),
        ("flat", np.array([-1, HIDDEN], np.int64)),
        ("one", np.float32(1)),
        ("zero_point", np.uint8(ZERO_POINT)),
        ("zero_point_1", np.array([ZERO_POINT], np.uint8)),
        ("gelu_zero_point", np.uint8(GELU_ZERO_POINT)),
        ("gelu_zero_point_1", np.array([GELU_ZERO_POINT], np.uint8)),
        ("per_step", np.float32(1 / (255 - ZERO_POINT))),
        ("gelu_per_step", np.float32(1 / (255 - GELU_ZERO_POINT))),
        ("gelu_least_step", np.float32(GELU_FLOOR / GELU_ZERO_POINT)),
    ):
        graph.constant(name, value)


def norm(graph: Graph, name: str, value: str) -> str:
    """LayerNorm with the weights of that name."""
    return graph.add(name, "LayerNormalization", [value, f"{name}.weight", f"{name}.bias"], axis=-1, epsilon=1e-12)


def layer(graph: Graph, number: str, state: str) -> str:
    """One encoder layer: attention, then the feed-forward part, each added to what came in and normalised."""
    context = attention(graph, f"{number}.attention", product(graph, f"{number}.attention", state))
    state = residual(graph, f"{number}.mix", product(graph, f"{number}.mix", context), state)
    wide = graph.add(f"{number}.gelu", "BiasGelu", [product(graph, f"{number}.up", state, bias=False), f"{number}.up.bias"], FUSED)
    return residual(graph, f"{number}.down", product(graph, f"{number}.down", wide, gelu=True), state)


def product(graph: Graph, name: str, rows: str, *, gelu: bool = False, bias: bool = True) -> str:
    """Rows quantised each with a step of its own, times int8 weights; float32 again, ``(rows, outputs)``."""
    kind = "gelu_" if gelu else ""
    reach = rows if gelu else graph.add(f"{name}.magnitude", "Abs", [rows])
    most = graph.add(f"{name}.most", "ReduceMax", [reach, "axis_last"], keepdims=0)
    step = graph.add(f"{name}.step", "Mul", [most, f"{kind}per_step"])
    if gelu:
        step = graph.add(f"{name}.wide_step", "Max", [step, "gelu_least_step"])
    steps = graph.add(f"{name}.quantised", "QuantizeLinear", [rows, step, f"{kind}zero_points"], axis=0)
    weights = [f"{name}.codes", "one", f"{name}.scales", f"{kind}zero_point"]
    unscaled = graph.add(f"{name}.product", "MatMulIntegerToFloat", [steps, *weights], FUSED)
    scaled = graph.add(f"{name}.scaled", "Mul", [unscaled, graph.add(f"{name}.step_column", "Unsqueeze", [step, "axis_last"])])
    return graph.add(f"{name}.biased", "Add", [scaled, f"{name}.bias"]) if bias else scaled


def attention(graph: Graph, name: str, triple: str) -> str:
    """Queries, keys and values side by side ``(rows, 3 * 384)`` to the context ``(rows, 384)``."""
    parted = graph.add(f"{name}.parted", "Reshape", [triple, "by_head"])
    turned = graph.add(f"{name}.turned", "Transpose", [parted], perm=[2, 0, 3, 1, 4])
    # Each part keeps a leading axis of one: (1, texts, heads, tokens, 32).
    graph.add(f"{name}.part", "Split", [turned], outputs=3, axis=0, num_outputs=3)
    query, key, value = (f"{name}.part.{number}" for number in range(3))
    scores = graph.add(f"{name}.scores", "FusedMatMul", [query, key], FUSED, transB=1, alpha=HEAD_SIZE**-0.5)
    summed = graph.add(f"{name}.summed", "MatMul", [graph.add(f"{name}.shares", "Softmax", [scores], axis=-1), value])
    by_token = graph.add(f"{name}.by_token", "Transpose", [summed], perm=[0, 1, 3, 2, 4])
    return graph.add(f"{name}.context", "Reshape", [by_token, "flat"])


def residual(graph: Graph, name: str, change: str, state: str) -> str:
    """The normalised sum of a change and what it changes."""
    return norm(graph, f"{name}.norm", graph.add(f"{name}.sum", "Add", [change, state]))


def probe() -> onnx.ModelProto:
    """Unsigned times signed bytes at their extremes: off from 64 * 255 * 127 where the processor's products saturate."""
    inner = Graph()
    inner.initializers = []
    inner.constant("weights", np.full((64, 16), 127, np.int8))
    inner.add("products", "MatMulInteger", ["steps", "weights"])
    inputs = [helper.make_tensor_value_info("steps", TensorProto.UINT8, ["rows", 64])]
    return model("saturation-probe", inner, inputs, [helper.make_tensor_value_info("products", TensorProto.INT32, ["rows", 16])])


def model(name: str, graph: Graph, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
    """The whole as a model."""
    body = helper.make_graph(graph.nodes, name, inputs, outputs, initializer=graph.initializers)
    made = helper.make_model(body, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid(FUSED, 1)], producer_name="hindsight")
    made.ir_version = 10
    return made


def main() -> None:
    """Write or check both graphs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the files in the package instead of writing them")
    check = parser.parse_args().check
    for name, made in (("e5_small.onnx", encoder()), ("saturation_probe.onnx", probe())):
        content = made.SerializeToString(deterministic=True)
        if not check:
            (FOLDER / name).write_bytes(content)
        elif (FOLDER / name).read_bytes() != content:
            raise SystemExit(f"{name} differs from what this script makes; run it without --check.")


if __name__ == "__main__":
    main()
