"""Commands, workers and servers in processes of their own."""
