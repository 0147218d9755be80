"""Small programs, one for each way in which an operation works on pieces of arrays.

Each is its arguments' types, its result's type, and what computes %r from %a, %b and %c.
"""


def reducer(kind, element="f32"):
    """A region that combines two scalars."""
    return f"""({{
    ^bb0(%p: tensor<{element}>, %q: tensor<{element}>):
      %s = stablehlo.{kind} %p, %q : tensor<{element}>
      stablehlo.return %s : tensor<{element}>
    }})"""


def window(kind, initial, attributes, types):
    """A reduction over windows."""
    return (
        f"%z = stablehlo.constant dense<{initial}> : tensor<f32>\n"
        f'%r = "stablehlo.reduce_window"(%a, %z) <{{{attributes}}}> {reducer(kind)} '
        f": {types}"
    )


def reduce(kind, initial, dims, source, result):
    """A reduction over dimensions."""
    return (
        f"%z = stablehlo.constant dense<{initial}> : tensor<f32>\n"
        f"%r = stablehlo.reduce(%a init: %z) applies stablehlo.{kind} across "
        f"dimensions = {dims} : (tensor<{source}>, tensor<f32>) -> tensor<{result}>"
    )


def convolution(attributes, types, groups="1", batches="1"):
    """A convolution along one dimension."""
    return (
        "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        f"window = {{{attributes}}} {{batch_group_count = {batches} : i64, "
        f"feature_group_count = {groups} : i64}} : {types}"
    )


GATHERED = (
    "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
    "start_index_map = [0], index_vector_dim = 1>"
)
SCATTERED = (
    "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
    "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
)


def scatter(kind):
    """Rows of %c join those of %a that %b names."""
    return (
        f'%r = "stablehlo.scatter"(%a, %b, %c) <{{scatter_dimension_numbers = {SCATTERED}}}> '
        f"{reducer(kind)} : (tensor<8x6xf32>, tensor<8x1xi32>, tensor<8x6xf32>) -> "
        "tensor<8x6xf32>"
    )


PROGRAMS = {
    "add": (
        ["8x6xf32", "8x6xf32"],
        "8x6xf32",
        "%r = stablehlo.add %a, %b : tensor<8x6xf32>",
    ),
    "select": (
        ["i1", "7x5xf32", "7x5xf32"],
        "7x5xf32",
        "%r = stablehlo.select %a, %b, %c : tensor<i1>, tensor<7x5xf32>",
    ),
    "broadcast": (
        ["8x1xf32"],
        "8x3x6xf32",
        "%r = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<8x1xf32>) -> "
        "tensor<8x3x6xf32>",
    ),
    "transpose": (
        ["4x8x6xf32"],
        "6x4x8xf32",
        "%r = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x8x6xf32>) -> "
        "tensor<6x4x8xf32>",
    ),
    "reshape: split": (
        ["8x6xf32"],
        "2x4x3x2xf32",
        "%r = stablehlo.reshape %a : (tensor<8x6xf32>) -> tensor<2x4x3x2xf32>",
    ),
    "reshape: merge": (
        ["8x6x2xf32"],
        "48x2xf32",
        "%r = stablehlo.reshape %a : (tensor<8x6x2xf32>) -> tensor<48x2xf32>",
    ),
    "reshape: mix": (
        ["8x6xf32"],
        "6x8xf32",
        "%r = stablehlo.reshape %a : (tensor<8x6xf32>) -> tensor<6x8xf32>",
    ),
    "sum": (["9x7xf32"], "7xf32", reduce("add", "3.0", "[0]", "9x7xf32", "7xf32")),
    "maximum": (
        ["9x7xf32"],
        "9xf32",
        reduce("maximum", "0xFF800000", "[1]", "9x7xf32", "9xf32"),
    ),
    "product": (
        ["8x6xf32"],
        "f32",
        reduce("multiply", "1.0", "[0, 1]", "8x6xf32", "f32"),
    ),
    "last of each": (
        ["8x6xf32", "8x6xi32"],
        "6xi32",
        """%z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<-9> : tensor<i32>
  %m:2 = stablehlo.reduce(%a init: %z), (%b init: %n) across dimensions = [0] :
      (tensor<8x6xf32>, tensor<8x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
  reducer(%p: tensor<f32>, %q: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %s = stablehlo.maximum %p, %q : tensor<f32>
    %t = stablehlo.maximum %i, %j : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  %r = stablehlo.optimization_barrier %m#1 : tensor<6xi32>""",
    ),
    "product of matrices": (
        ["7x9xf32", "9x5xf32"],
        "7x5xf32",
        "%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<7x9xf32>, tensor<9x5xf32>) -> tensor<7x5xf32>",
    ),
    "products of a batch": (
        ["4x8x6xf32", "4x6x2xf32"],
        "4x8x2xf32",
        "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = "
        "[2] x [1] : (tensor<4x8x6xf32>, tensor<4x6x2xf32>) -> tensor<4x8x2xf32>",
    ),
    "slice": (
        ["16x9xf32"],
        "5x4xf32",
        "%r = stablehlo.slice %a [2:15:3, 4:8] : (tensor<16x9xf32>) -> tensor<5x4xf32>",
    ),
    "pad": (
        ["8x6xf32", "f32"],
        "11x5xf32",
        "%r = stablehlo.pad %a, %b, low = [1, -1], high = [2, 0], interior = [0, 0] : "
        "(tensor<8x6xf32>, tensor<f32>) -> tensor<11x5xf32>",
    ),
    "pad between": (
        ["8x6xf32", "f32"],
        "17x6xf32",
        "%r = stablehlo.pad %a, %b, low = [1, 0], high = [1, 0], interior = [1, 0] : "
        "(tensor<8x6xf32>, tensor<f32>) -> tensor<17x6xf32>",
    ),
    "reverse": (
        ["7x8xf32"],
        "7x8xf32",
        "%r = stablehlo.reverse %a, dims = [0, 1] : tensor<7x8xf32>",
    ),
    "concatenate": (
        ["8x6xf32", "3x6xf32"],
        "11x6xf32",
        "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<8x6xf32>, tensor<3x6xf32>) "
        "-> tensor<11x6xf32>",
    ),
    "roll": (
        ["8x6xf32"],
        "8x6xf32",
        """%x = stablehlo.slice %a [7:8, 0:6] : (tensor<8x6xf32>) -> tensor<1x6xf32>
  %y = stablehlo.slice %a [0:7, 0:6] : (tensor<8x6xf32>) -> tensor<7x6xf32>
  %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<1x6xf32>, tensor<7x6xf32>) -> tensor<8x6xf32>""",
    ),
    "iota": (
        ["8x6xf32"],
        "8x6xf32",
        """%x = stablehlo.iota dim = 1 : tensor<8x6xf32>
  %r = stablehlo.multiply %a, %x : tensor<8x6xf32>""",
    ),
    "dynamic slice": (
        ["8x6xf32", "i32"],
        "3x6xf32",
        "%r = stablehlo.dynamic_slice %a, %b, %b, sizes = [3, 6] : (tensor<8x6xf32>, "
        "tensor<i32>, tensor<i32>) -> tensor<3x6xf32>",
    ),
    "dynamic update": (
        ["9x7xf32", "2x3xf32", "i32"],
        "9x7xf32",
        "%r = stablehlo.dynamic_update_slice %a, %b, %c, %c : (tensor<9x7xf32>, "
        "tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<9x7xf32>",
    ),
    "gather": (
        ["8x6xf32", "5x1xi32"],
        "5x6xf32",
        f'%r = "stablehlo.gather"(%a, %b) <{{dimension_numbers = {GATHERED}, slice_sizes = '
        "array<i64: 1, 6>}> : (tensor<8x6xf32>, tensor<5x1xi32>) -> tensor<5x6xf32>",
    ),
    "scatter: add": (["8x6xf32", "8x1xi32", "8x6xf32"], "8x6xf32", scatter("add")),
    "scatter: max": (["8x6xf32", "8x1xi32", "8x6xf32"], "8x6xf32", scatter("maximum")),
    "sort": (
        ["8x6xf32"],
        "8x6xf32",
        """%r = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<8x6xf32>) -> tensor<8x6xf32>""",
    ),
    "convolution: same": (
        ["2x16x4xf32", "3x4x4xf32"],
        "2x16x4xf32",
        convolution(
            "stride = [1], pad = [[1, 1]]",
            "(tensor<2x16x4xf32>, tensor<3x4x4xf32>) -> tensor<2x16x4xf32>",
        ),
    ),
    "convolution: strides": (
        ["2x16x4xf32", "3x4x4xf32"],
        "2x8x4xf32",
        convolution(
            "stride = [2], pad = [[0, 1]]",
            "(tensor<2x16x4xf32>, tensor<3x4x4xf32>) -> tensor<2x8x4xf32>",
        ),
    ),
    "convolution: holes": (
        ["2x8x4xf32", "3x4x4xf32"],
        "2x16x4xf32",
        convolution(
            "stride = [1], pad = [[1, 2]], lhs_dilate = [2]",
            "(tensor<2x8x4xf32>, tensor<3x4x4xf32>) -> tensor<2x16x4xf32>",
        ),
    ),
    "convolution: wide kernel": (
        ["2x16x4xf32", "14x4x4xf32"],
        "2x3x4xf32",
        convolution(
            "stride = [1], pad = [[0, 0]]",
            "(tensor<2x16x4xf32>, tensor<14x4x4xf32>) -> tensor<2x3x4xf32>",
        ),
    ),
    "convolution: groups": (
        ["2x6x8xf32", "3x2x8xf32"],
        "2x6x8xf32",
        convolution(
            "stride = [1], pad = [[1, 1]]",
            "(tensor<2x6x8xf32>, tensor<3x2x8xf32>) -> tensor<2x6x8xf32>",
            groups="4",
        ),
    ),
    "windows": (
        ["3x16xf32"],
        "3x15xf32",
        window(
            "maximum",
            "0xFF800000",
            "window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>",
            "(tensor<3x16xf32>, tensor<f32>) -> tensor<3x15xf32>",
        ),
    ),
    "running sum": (
        ["8x6xf32"],
        "8x6xf32",
        window(
            "add",
            "0.0",
            "window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>",
            "(tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>",
        ),
    ),
    "loop": (
        ["8xf32", "8x8xf32"],
        "8xf32",
        """%c0 = stablehlo.constant dense<0> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %w:3 = stablehlo.while(%i = %c0, %x = %a, %m = %b) : tensor<i32>, tensor<8xf32>, tensor<8x8xf32>
  cond {
    %s = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  } do {
    %s = stablehlo.add %i, %c1 : tensor<i32>
    %t = stablehlo.dot_general %x, %m, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
    stablehlo.return %s, %t, %m : tensor<i32>, tensor<8xf32>, tensor<8x8xf32>
  }
  %r = stablehlo.optimization_barrier %w#1 : tensor<8xf32>""",
    ),
    "branch": (
        ["i1", "8x6xf32"],
        "6xf32",
        """%z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.if"(%a) ({
    %s = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
    stablehlo.return %s : tensor<6xf32>
  }, {
    %s = stablehlo.reduce(%b init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
    stablehlo.return %s : tensor<6xf32>
  }) : (tensor<i1>) -> tensor<6xf32>""",
    ),
}
