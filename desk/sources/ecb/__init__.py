"""The server `ecb`: euro reference rates and crosses of them."""
