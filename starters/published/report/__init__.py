"""`desk report`: a published report, its differences, origins and traces."""
