"""What all servers of the desk share: arguments, command line, cached files, reachability."""
