"""When a forecast is due, and against which fixing it is held."""
