"""Reports and answers, made by hand or compiled of real weeks."""
