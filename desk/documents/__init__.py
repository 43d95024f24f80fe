"""What is published: reports and answers, their pages, their audit."""
