"""StableHLO programs that need no tracing, and Python programs in processes of their own."""

import subprocess
import sys
import textwrap

ADD_ONE = """
module @add_one {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<3xf32>
    %y = stablehlo.add %x, %one : tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
"""

DONATING = """
module @donating {
  func.func public @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32})
      -> tensor<3xf32> {
    %y = stablehlo.add %x, %x : tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
"""

ADD_SCALARS = """
module @add_scalars {
  func.func public @main(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
    %z = stablehlo.add %x, %y : tensor<f32>
    return %z : tensor<f32>
  }
}
"""

TWO_RESULTS = """
module @two_results {
  func.func public @main(%x: tensor<3xf32>, %y: tensor<3xf32>)
      -> (tensor<3xf32>, tensor<3xf32>) {
    %a = stablehlo.add %x, %y : tensor<3xf32>
    %b = stablehlo.subtract %x, %y : tensor<3xf32>
    return %a, %b : tensor<3xf32>, tensor<3xf32>
  }
}
"""

LOOP = """
module @loop {
  func.func public @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %i, %y = stablehlo.while(%a = %zero, %b = %x) : tensor<i32>, tensor<f32>
    cond {
      %p = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %c = stablehlo.add %a, %one : tensor<i32>
      %d = stablehlo.cosine %b : tensor<f32>
      stablehlo.return %c, %d : tensor<i32>, tensor<f32>
    }
    return %y : tensor<f32>
  }
}
"""


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={"PYTHONPATH": ":".join(sys.path), **environment},
        capture_output=True,
        text=True,
    )
