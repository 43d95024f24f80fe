"""The archive of all published weeks."""
