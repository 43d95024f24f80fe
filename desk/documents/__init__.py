"""Published documents: reports and answers, their pages, and their audit."""
