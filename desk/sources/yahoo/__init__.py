"""The server `yahoo_finance`: live prices."""
