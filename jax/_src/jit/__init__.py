"""The path of a jitted call: options, arguments, trace, shardings, lower, compile, execute."""
