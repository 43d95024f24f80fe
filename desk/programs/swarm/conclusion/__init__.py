"""The built-in leader's conclusion from the findings."""
