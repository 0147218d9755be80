"""The protocol buffers in which HLO programs are stored, as dictionaries.

Source: the field numbers of XLA's `hlo.proto` and `xla_data.proto`, checked against the
bytes that released compilers write.
"""

from jax._src.base import protobuf

Message = protobuf.Message

_SCHEMA = protobuf.Schema(
    {
        "HloModuleProtoWithConfig": "hlo_module=1:HloModuleProto",
        "HloModuleProto": """
        name=1:text entry_computation_name=2:text computations=3:*HloComputationProto
        host_program_shape=4:ProgramShapeProto id=5:int entry_computation_id=6:int
        schedule=7:HloScheduleProto input_output_alias=8:HloInputOutputAliasProto
        spmd_output_sharding=12:bytes spmd_parameters_shardings=14:*bytes
        stack_frame_index=17:StackFrameIndexProto frontend_attributes=19:FrontendAttributes
    """,
        "HloScheduleProto": "sequences=1:*ScheduleEntry",
        "ScheduleEntry": "key=1:int value=2:InstructionSequence",
        "InstructionSequence": "instruction_ids=1:*int",
        "HloInputOutputAliasProto": "entries=1:*AliasEntryProto",
        "AliasEntryProto": """
        output_shape_index=1:*int parameter_number=2:int parameter_shape_index=3:*int
        kind=4:int
    """,
        "StackFrameIndexProto": """
        file_names=1:*text function_names=2:*text file_locations=3:*FileLocation
        stack_frames=4:*StackFrame
    """,
        "FileLocation": """
        file_name_id=1:int function_name_id=2:int line=3:int column=4:int end_line=5:int
        end_column=6:int
    """,
        "StackFrame": "file_location_id=1:int parent_frame_id=2:int",
        "HloComputationProto": """
        name=1:text instructions=2:*HloInstructionProto program_shape=4:ProgramShapeProto
        id=5:int root_id=6:int is_fusion_computation=7:bool execution_thread=8:text
    """,
        "HloInstructionProto": """
        name=1:text opcode=2:text shape=3:ShapeProto metadata=7:OpMetadata
        literal=8:LiteralProto parameter_number=9:int fusion_kind=11:text tuple_index=13:int
        dimensions=14:*int window=15:Window
        convolution_dimension_numbers=16:ConvolutionDimensionNumbers
        slice_dimensions=17:*SliceDimensions exponent_bits=18:int mantissa_bits=19:int
        dynamic_slice_sizes=20:*int padding_config=21:PaddingConfig outfeed_config=22:bytes
        distribution=23:int epsilon=24:float feature_index=25:int channel_id=26:int
        infeed_config=27:bytes custom_call_target=28:text
        dot_dimension_numbers=30:DotDimensionNumbers fft_type=31:int fft_length=32:*int
        gather_dimension_numbers=33:GatherDimensionNumbers gather_slice_sizes=34:*int id=35:int
        operand_ids=36:*int control_predecessor_ids=37:*int called_computation_ids=38:*int
        sharding=40:bytes backend_config=43:bytes is_host_transfer=47:bool
        scatter_dimension_numbers=48:ScatterDimensionNumbers replica_groups=49:*ReplicaGroup
        feature_group_count=50:int precision_config=51:PrecisionConfig
        source_target_pairs=52:*SourceTarget constrain_layout=56:bool
        operand_shapes_with_layout=57:*ShapeProto batch_group_count=58:int
        triangular_solve_options=59:TriangularSolveOptions is_stable=60:bool
        cholesky_options=62:CholeskyOptions comparison_direction=63:text
        custom_call_has_side_effect=65:bool delta=66:int indices_are_sorted=67:bool
        frontend_attributes=68:FrontendAttributes unique_indices=69:bool rng_algorithm=70:int
        use_global_device_ids=71:bool comparison_type=72:text
        output_operand_aliasing=74:*OutputOperandAliasing custom_call_schedule=76:int
        custom_call_api_version=77:int async_execution_thread=79:text k=81:int
        largest=85:bool collective_device_list=87:CollectiveDeviceListProto
        is_composite=89:bool
    """,
        "ProgramShapeProto": "parameters=1:*ShapeProto result=2:ShapeProto parameter_names=3:*text",
        "ShapeProto": """
        element_type=2:int dimensions=3:*int tuple_shapes=4:*ShapeProto layout=5:LayoutProto
        is_dynamic_dimension=6:*bool
    """,
        "LayoutProto": "minor_to_major=1:*int tiles=6:*TileProto",
        "TileProto": "dimensions=1:*int",
        "OpMetadata": """
        op_type=1:text op_name=2:text source_file=3:text source_line=4:int
        stack_frame_id=15:int source_end_line=17:int source_column=18:int
        source_end_column=19:int
    """,
        "LiteralProto": """
        shape=1:ShapeProto preds=2:*bool u8s=3:bytes s32s=4:*int s64s=5:*int u32s=6:*int
        u64s=7:*uint f32s=8:*float f64s=9:*double tuple_literals=10:*LiteralProto f16s=11:bytes
        c64s=12:*float bf16s=13:bytes s8s=15:bytes u16s=16:bytes s16s=17:bytes c128s=18:*double
        f8e5m2s=19:bytes f8e4m3fns=20:bytes s4s=21:bytes u4s=22:bytes f8e4m3b11fnuzs=23:bytes
        f8e5m2fnuzs=24:bytes f8e4m3fnuzs=25:bytes s2s=26:bytes u2s=27:bytes f8e4m3s=28:bytes
        f8e3m4s=29:bytes f4e2m1fns=30:bytes f8e8m0fnus=31:bytes
    """,
        "Window": "dimensions=1:*WindowDimension",
        "WindowDimension": """
        size=1:int stride=2:int padding_low=3:int padding_high=4:int window_dilation=5:int
        base_dilation=6:int window_reversal=7:bool
    """,
        "ConvolutionDimensionNumbers": """
        kernel_input_feature_dimension=3:int kernel_output_feature_dimension=4:int
        kernel_spatial_dimensions=6:*int input_batch_dimension=7:int
        input_feature_dimension=8:int output_batch_dimension=9:int
        output_feature_dimension=10:int input_spatial_dimensions=11:*int
        output_spatial_dimensions=12:*int
    """,
        "SliceDimensions": "start=1:int limit=2:int stride=3:int",
        "PaddingConfig": "dimensions=1:*PaddingConfigDimension",
        "PaddingConfigDimension": "edge_padding_low=1:int edge_padding_high=2:int interior_padding=3:int",
        "DotDimensionNumbers": """
        lhs_contracting_dimensions=1:*int rhs_contracting_dimensions=2:*int
        lhs_batch_dimensions=3:*int rhs_batch_dimensions=4:*int
    """,
        "GatherDimensionNumbers": """
        offset_dims=1:*int collapsed_slice_dims=2:*int start_index_map=3:*int
        index_vector_dim=4:int operand_batching_dims=5:*int
        start_indices_batching_dims=6:*int
    """,
        "ScatterDimensionNumbers": """
        update_window_dims=1:*int inserted_window_dims=2:*int
        scatter_dims_to_operand_dims=3:*int index_vector_dim=4:int
        input_batching_dims=5:*int scatter_indices_batching_dims=6:*int
    """,
        "ReplicaGroup": "replica_ids=1:*int",
        "CollectiveDeviceListProto": """
        replica_groups=1:*ReplicaGroup
        iota_replica_group_list=2:IotaReplicaGroupListProto
    """,
        "IotaReplicaGroupListProto": """
        num_replica_groups=1:int num_devices_per_group=2:int iota_reshape_dims=3:*int
        iota_transpose_perm=4:*int
    """,
        "PrecisionConfig": "operand_precision=1:*int algorithm=2:int",
        "SourceTarget": "source=1:int target=2:int",
        "TriangularSolveOptions": "left_side=1:bool lower=2:bool unit_diagonal=3:bool transpose_a=4:int",
        "CholeskyOptions": "lower=1:bool",
        "FrontendAttributes": "map=1:*MapEntry",
        "MapEntry": "key=1:text value=2:text",
        "OutputOperandAliasing": """
        output_shape_index=1:*int operand_index=2:int operand_shape_index=3:*int
    """,
    }
)
encode = _SCHEMA.encode
decode = _SCHEMA.decode
