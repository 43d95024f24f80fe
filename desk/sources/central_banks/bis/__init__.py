"""Central bank policy rates of the Bank for International Settlements (dataflow WS_CBPOL)."""
