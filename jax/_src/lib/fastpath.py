"""Calls of jitted functions."""

from jaxlib._native.fastpath import (
    FastpathData as FastpathData,
    Function as Function,
    clear_all_caches as clear_all_caches,
    install_context as install_context,
    register_extended_class as register_extended_class,
    set_class_judge as set_class_judge,
    set_device_put as set_device_put,
    set_error_filter as set_error_filter,
    set_process_config as set_process_config,
    set_straightener as set_straightener,
)
