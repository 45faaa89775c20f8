"""The options of every `hotlap` verb, one file to a verb; what a verb does is imported only when it runs."""
