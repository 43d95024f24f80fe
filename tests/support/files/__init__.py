"""Files of data as their publishers write them."""
