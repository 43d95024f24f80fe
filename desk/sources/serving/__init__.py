"""What all servers of the desk share: arguments, command line, kept files, reachability."""
